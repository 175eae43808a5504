/** Contract section 5. */
const SECRET_LENGTH_MIN = 24
/** A secret of fewer different characters was typed, not generated. */
const DIFFERENT_CHARACTERS_MIN = 8
/** What samples and documentation say in place of a secret. */
const SAMPLE = /change[-_ ]?me|example|sample|placeholder|your[-_ ]|secret|password|12345678|abcdefgh/i

/** Why production refuses a secret, as a sentence that begins with its name. */
export function secretWeakness(name: string, secret: string): string[] {
  if (secret.length < SECRET_LENGTH_MIN) return [`${name} is shorter than ${SECRET_LENGTH_MIN} characters`]
  if (SAMPLE.test(secret) || new Set(secret).size < DIFFERENT_CHARACTERS_MIN)
    return [`${name} is a sample, not a secret; make one with: openssl rand -hex 24`]
  return []
}
