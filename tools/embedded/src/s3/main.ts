import { parseArgs } from 'node:util'
import { createS3Server } from './server.ts'
import { ObjectStore } from './store.ts'

// bun run main.ts --data <folder> --port <port>; the keys come by environment.
const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string' } } })
const {
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
  S3_REGION: region,
  S3_BUCKET: bucket,
} = process.env
if (!values.data || !values.port || !accessKeyId || !secretAccessKey || !region || !bucket) {
  console.error(
    'error: --data, --port, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION and S3_BUCKET are needed',
  )
  process.exit(2)
}

const store = new ObjectStore(values.data)
store.createBucket(bucket)
const server = createS3Server({ store, credentials: { accessKeyId, secretAccessKey, region }, now: Date.now })
server.on('error', (error: NodeJS.ErrnoException) => {
  console.error(`error: ${error.code}: ${error.message}`)
  process.exit(1)
})
server.listen(Number(values.port), '127.0.0.1')

process.once('SIGTERM', () => {
  server.close(() => {
    store.close()
    process.exit(0)
  })
  server.closeIdleConnections()
})
