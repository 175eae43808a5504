import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRenderer } from '../render/renderer.ts'
import { asReference, sheetOf } from './pictures.ts'
import { SAMPLES } from './samples.ts'

/** `bun apps/media/src/cards/gallery/contact-sheet.ts <folder> [--references]`: every edition, and a sheet of all. */
async function main([folder, ...flags]: string[]): Promise<void> {
  if (!folder) throw new Error('bun apps/media/src/cards/gallery/contact-sheet.ts <folder> [--references]')
  mkdirSync(folder, { recursive: true })
  const renderer = createRenderer()
  const cards: Uint8Array[] = []
  for (const { name, content } of SAMPLES) {
    const { png } = await renderer.render(content)
    cards.push(png)
    writeFileSync(join(folder, `${name}.png`), flags.includes('--references') ? await asReference(png) : png)
  }
  if (flags.includes('--references')) return
  writeFileSync(join(folder, 'contact-sheet.png'), await sheetOf(cards))
  console.log(`${cards.length} cards and contact-sheet.png are in ${folder}`)
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
