const TOKEN_BYTES = 32

/** 256 random bits as base64url, as `POST /feedback` takes them. */
export function newEditToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
