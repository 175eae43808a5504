import { pgSchema, text, timestamp, uuid } from 'drizzle-orm/pg-core'

export const media = pgSchema('media')

/** Pictures that participants sent; the bodies are in the object store. */
export const photos = media.table('photos', {
  id: uuid('id').primaryKey().defaultRandom(),
  userId: text('user_id').notNull(),
  objectKey: text('object_key').notNull().unique(),
  createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull().defaultNow(),
})
