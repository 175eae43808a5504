/** The fonts of the pages (styles/base.css): a generic family would be another font on many machines. */
export const TEXT_FONT = [
  'system-ui',
  '-apple-system',
  'PingFang TC',
  'Noto Sans TC',
  'Microsoft JhengHei',
  'sans-serif',
]
