import { randomInt } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 131 bits. */
const CODE_LENGTH = 22

/** The secret of a link by which an app is set up. */
export const newCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => DIGITS.charAt(randomInt(DIGITS.length))).join('')
