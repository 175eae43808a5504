/** The problems of `CORS_ORIGINS`: `*` alone, or exact origins as a browser sends them. */
export function corsOriginProblems(origins: readonly string[]): string[] {
  if (origins.length === 1 && origins[0] === '*') return []
  return origins
    .filter((origin) => !isOrigin(origin))
    .map((origin) => `CORS_ORIGINS: ${origin} is not an origin like https://map.example`)
}

const isOrigin = (text: string): boolean =>
  /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
