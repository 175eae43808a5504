import { Elysia } from 'elysia'
import type { GuideStore } from '../store.ts'
import { adminNoticeRoutes } from './notices.ts'
import { adminPlaceRoutes } from './places.ts'
import { adminRouteRoutes } from './route.ts'

/** What organisers write of the guide: reading from tier 1, writing from tier 2. */
export const adminGuideRoutes = (dependencies: { store: GuideStore }) =>
  new Elysia({ name: 'admin-guide' })
    .use(adminPlaceRoutes(dependencies))
    .use(adminNoticeRoutes(dependencies))
    .use(adminRouteRoutes(dependencies))
