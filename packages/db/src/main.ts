import { migrateDatabase } from './migrate.ts'

/** `bun run packages/db/src/main.ts`: brings the schema of DATABASE_URL up to date and ends. */
const url = process.env.DATABASE_URL
if (!url) {
  console.error('DATABASE_URL is missing: the postgres:// address whose schema is brought up to date')
  process.exit(2)
}
migrateDatabase(url).then(
  () => console.log('the database schema is up to date'),
  (error: Error) => {
    console.error(`the migration failed: ${error.message}`)
    process.exit(1)
  },
)
