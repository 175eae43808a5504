import sharp from 'sharp'
import {
  CANARY,
  frames,
  type Hostile,
  keyword,
  photo,
  SCRIPT,
  SMALL,
  small,
  text,
  zeros,
} from './image-parts.ts'
import { chunk, png, rows } from './png.ts'

const png16 = (): Promise<Buffer> =>
  sharp(Buffer.alloc(60 * 40 * 3 * 2, 0x5a), { raw: { ...small, channels: 3 } })
    .toColourspace('rgb16')
    .png()
    .toBuffer()

function apng(): Buffer {
  const control = Buffer.alloc(8)
  control.writeUInt32BE(2, 0)
  const frame = (sequence: number) => {
    const data = Buffer.alloc(26)
    data.writeUInt32BE(sequence, 0)
    data.writeUInt32BE(60, 4)
    data.writeUInt32BE(40, 8)
    data.writeUInt16BE(1, 20)
    data.writeUInt16BE(10, 22)
    return chunk('fcTL', data)
  }
  const second = chunk('fdAT', Buffer.concat([Buffer.from([0, 0, 0, 2]), rows(SMALL, 0x90)]))
  return png(SMALL, { before: [chunk('acTL', control), frame(0)], after: [frame(1), second] })
}

/** Valid images with a payload that must not survive. */
export async function imagesWithPayload(): Promise<Hostile[]> {
  const exif = {
    IFD0: { Copyright: CANARY, ImageDescription: SCRIPT },
    IFD3: {
      GPSLatitudeRef: 'N',
      GPSLatitude: '24/1 36/1 40/1',
      GPSLongitudeRef: 'E',
      GPSLongitude: '120/1 45/1 4/1',
    },
  }
  const files: Record<string, Uint8Array> = {
    'a PNG with a web page behind its end': png(SMALL, { after: [text(SCRIPT)] }),
    'a PNG with a ZIP behind its end': png(SMALL, {
      after: [text(`PK\x03\x04${CANARY}`), text('PK\x05\x06'), zeros(18)],
    }),
    'a PNG with a script in its text': png(SMALL, {
      before: [chunk('tEXt', keyword('Comment', text(SCRIPT)))],
    }),
    'a PNG with a private chunk': png(SMALL, { before: [chunk('prVt', text(SCRIPT))] }),
    'a JPEG with a script behind its end': Buffer.concat([await photo().jpeg().toBuffer(), text(SCRIPT)]),
    'a JPEG with EXIF and GPS': await photo().withExif(exif).jpeg().toBuffer(),
    'a WebP with EXIF and GPS': await photo().withExif(exif).webp().toBuffer(),
    'a PNG with EXIF and GPS': await photo().withExif(exif).png().toBuffer(),
    'a JPEG with a colour profile': await photo().withIccProfile('p3').jpeg().toBuffer(),
    'a JPEG in CMYK': await photo().toColourspace('cmyk').jpeg().toBuffer(),
    'a PNG of 16 bits': await png16(),
    'an APNG': apng(),
    'an animated WebP': await frames().webp().toBuffer(),
    'an interlaced PNG': await photo().png({ progressive: true }).toBuffer(),
  }
  const rotated = await photo().withMetadata({ orientation: 6 }).jpeg().toBuffer()
  return [
    ...Object.entries(files).map(([name, bytes]): Hostile => ({ name, bytes, expected: small })),
    { name: 'a JPEG that lies on its side', bytes: rotated, expected: { width: 40, height: 60 } },
  ]
}
