import { Language } from '@palanquin/domain/participant'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { createMenus, type Menus } from './menu.ts'

/** `GET /internal/rich-menu/{language}`: the image of the menu, for the LINE bot, which has no renderer. */
export const menuRoutes = (menus: Menus = createMenus()) =>
  new Elysia({ name: 'rich-menu' }).get(
    '/internal/rich-menu/:language',
    async ({ params: { language } }) =>
      new Response(await menus.imageOf(language), { headers: { 'content-type': 'image/png' } }),
    { params: text(Type.Object({ language: Language })), detail: { hide: true } },
  )
