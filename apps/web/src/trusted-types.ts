import { fact } from './parts/fact.ts'

type Policies = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string; createHTML: (html: string) => string },
  ) => unknown
}

/** Trusted Types: scripts of our own origin and, inside LINE, of LINE's; never markup from a string. */
export function installTrustedTypes(): void {
  const allowed = [location.origin, ...liffOrigins()]
  const policies: Policies | undefined = Reflect.get(window, 'trustedTypes')
  policies?.createPolicy('default', {
    createScriptURL: (url) => {
      if (!allowed.includes(new URL(url, location.href).origin))
        throw new TypeError(`a script of another origin: ${url}`)
      return url
    },
    createHTML: (html) => html.replace(/[<>&]/g, ''),
  })
}

/** Where the script of LINE comes from. */
function liffOrigins(): string[] {
  const sdk = fact('liff-sdk')
  return sdk === '' ? [] : [new URL(sdk).origin]
}
