type Align = 'left' | 'right'

/** Aligns rows under their headings. Wide characters (Chinese, icons) count double. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  align: readonly Align[] = [],
): string {
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? '')].map((cell) => Bun.stringWidth(cell))),
  )
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => padded(cells[column] ?? '', width, align[column] ?? 'left'))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [line(heads), rule, ...rows.map(line)].join('\n')
}

function padded(cell: string, width: number, align: Align): string {
  const blank = ' '.repeat(Math.max(0, width - Bun.stringWidth(cell)))
  return align === 'left' ? cell + blank : blank + cell
}
