/** What misbehaves as the file says, in the place of the process that reads files. */
export {}

const held: Uint8Array[] = []
const text = await Bun.stdin.text()
if (text === 'spin') for (;;) held.length = 0
if (text === 'grow') {
  for (;;) {
    held.push(new Uint8Array(4_194_304).fill(held.length + 1))
    await Bun.sleep(1)
  }
}
if (text === 'hang') await new Promise((resolve) => setTimeout(resolve, 3_600_000))
if (text === 'crash') process.exit(3)
if (text === 'environment')
  console.log(
    JSON.stringify({ refused: { code: 'damaged', sentence: Object.keys(process.env).toSorted().join() } }),
  )
