import { useEffect, useState } from 'preact/hooks'

/** A text as a QR code; `label` says what it is for. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [qr, setQr] = useState<{ size: number; path: string } | null>(null)
  useEffect(() => {
    void import('./qr.ts').then(({ qrPath }) => setQr(qrPath(text)))
  }, [text])
  if (qr === null) return null
  return (
    <svg class="qr" viewBox={`-4 -4 ${qr.size + 8} ${qr.size + 8}`} role="img" aria-label={label}>
      <rect x={-4} y={-4} width={qr.size + 8} height={qr.size + 8} fill="#fff" />
      <path d={qr.path} fill="#000" />
    </svg>
  )
}
