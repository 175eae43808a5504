import { LinkBody } from '@palanquin/domain/session'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'

/** `POST /internal/link`: a device's images and imports become the person's; its card goes. */
export const linkRoute = ({
  links,
  eraseCards,
}: {
  links: readonly ((link: LinkBody) => Promise<void>)[]
  eraseCards: (userId: string) => Promise<unknown>
}) =>
  new Elysia({ name: 'link' }).post(
    '/internal/link',
    async ({ body: input }) => {
      for (const link of links) await link(input)
      await eraseCards(input.deviceId)
      return ok({})
    },
    { body: body(LinkBody), detail: { hide: true } },
  )
