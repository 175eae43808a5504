/** What the gateway or the build wrote into the head of this page; empty where it is not there. */
export const fact = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
