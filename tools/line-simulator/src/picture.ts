export type Picture = { format: 'png' | 'jpeg'; width: number; height: number }

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const PNG_WIDTH_AT = 16
const PNG_HEAD_BYTES = 24
/** Start-of-frame markers: C0 to CF but for DHT (C4), JPG (C8) and DAC (CC). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The format and size in pixels as the header gives them; undefined for anything but PNG and JPEG. */
export function readPicture(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length >= PNG_HEAD_BYTES && PNG_SIGNATURE.every((byte, index) => bytes[index] === byte))
    return {
      format: 'png',
      width: view.getUint32(PNG_WIDTH_AT),
      height: view.getUint32(PNG_WIDTH_AT + 4),
    }
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? readJpeg(view) : undefined
}

function readJpeg(view: DataView): Picture | undefined {
  let at = 2
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker))
      return { format: 'jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}
