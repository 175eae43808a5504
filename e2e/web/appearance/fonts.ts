/** The fonts that a page gets for Latin and Chinese, with their versions. */
export function fontsOfThisMachine(): string[] | undefined {
  const program = Bun.which('fc-match')
  if (program === null) return undefined
  return ['system-ui', 'system-ui:bold', 'sans-serif:lang=zh-tw', 'sans-serif:lang=zh-tw:bold'].map(
    (pattern) => Bun.spawnSync([program, '-f', '%{fullname} %{fontversion}', pattern]).stdout.toString(),
  )
}
