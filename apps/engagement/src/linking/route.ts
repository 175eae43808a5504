import { LinkRequest } from '@palanquin/domain/session'
import { receivedAtOf } from '@palanquin/service/http/headers'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import { respond } from '../respond.ts'
import { type LinkDependencies, linkDevice } from './link.ts'

/** `POST /internal/sessions/link`, by the gateway: it has authenticated the LINE id. */
export const linkRoutes = (dependencies: LinkDependencies) =>
  new Elysia({ name: 'links' }).post(
    '/internal/sessions/link',
    async ({ body: input, request: { headers } }) =>
      respond(await linkDevice(dependencies, input, receivedAtOf(headers))),
    { body: body(LinkRequest), detail: { hide: true } },
  )
