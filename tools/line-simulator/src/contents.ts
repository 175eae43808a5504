export type Content = { bytes: Uint8Array<ArrayBuffer>; contentType: string }

export function createContents() {
  const contents = new Map<string, Content | 'gone' | 'preparing'>()
  return {
    put: (messageId: string, content: Content): void => void contents.set(messageId, content),
    /** 202 until something is put. */
    prepare: (messageId: string): void => void contents.set(messageId, 'preparing'),
    /** The user took the message back. */
    withdraw: (messageId: string): void => {
      if (contents.has(messageId)) contents.set(messageId, 'gone')
    },
    find: (messageId: string): Content | 'gone' | 'preparing' | undefined => contents.get(messageId),
  }
}
