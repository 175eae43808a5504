import Type from 'typebox'

const MEDIA_URL_LENGTH_MAX = 2000

/** Pictures and films are fetched by LINE: https alone, percent-encoded. */
export const MediaUrl = Type.String({
  maxLength: MEDIA_URL_LENGTH_MAX,
  pattern: '^https://[!-~]+$',
  description: 'an https address of at most 2000 characters, percent-encoded',
})
