import { randomBytes } from 'node:crypto'
import { newServerFolder, startTestServer, type TestServer } from './server.ts'

/** `url` is the endpoint; the rest is what `S3_BUCKET`, `S3_ACCESS_KEY_ID`, `S3_SECRET_ACCESS_KEY`, `S3_REGION` say. */
export type TestS3 = TestServer & {
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  region: string
}

/** A real, empty S3 server with one bucket, for the caller alone. `folder`: on a disk of the caller's. */
export async function testS3({ folder = newServerFolder('s3') } = {}): Promise<TestS3> {
  const access = {
    bucket: 'test',
    accessKeyId: `test${randomBytes(6).toString('hex')}`,
    secretAccessKey: randomBytes(20).toString('hex'),
    region: 'us-east-1',
  }
  const server = await startTestServer({ kind: 's3', folder, options: access })
  return { ...server, ...access }
}
