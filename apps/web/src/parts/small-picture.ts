/** 102,400 bytes less the form around it (contract, section 1). */
const BYTES_MAX = 95_000
const EDGES_PX = [1600, 1200, 900, 600] as const
const QUALITIES = [0.8, 0.6, 0.4] as const

/** A picture that fits: as it is, or as a smaller JPEG without its place. Null where it cannot be read. */
export async function smallPicture(file: File): Promise<Blob | null> {
  if (file.size <= BYTES_MAX) return file
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null)
  if (bitmap === null) return null
  try {
    for (const edge of EDGES_PX)
      for (const quality of QUALITIES) {
        const blob = await jpegOf(bitmap, edge, quality)
        if (blob !== null && blob.size <= BYTES_MAX) return blob
      }
    return null
  } finally {
    bitmap.close()
  }
}

function jpegOf(bitmap: ImageBitmap, edge: number, quality: number): Promise<Blob | null> {
  const scale = Math.min(1, edge / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
}
