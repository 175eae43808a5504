const NAME = 'session'

/** Reports to all open pages of this browser that somebody has left; older browsers learn of it when they look again. */
export function reportLeft(): void {
  if (!('BroadcastChannel' in globalThis)) return
  const channel = new BroadcastChannel(NAME)
  channel.postMessage('left')
  channel.close()
}

/** Calls `look` when somebody has left on any page; returns what ends that. */
export function onLeft(look: () => void): () => void {
  if (!('BroadcastChannel' in globalThis)) return () => {}
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', look)
  return () => channel.close()
}
