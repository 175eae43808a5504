import { newServerFolder, startTestServer, type TestServer } from './server.ts'

const BUCKET = 'test'

/** `access`: as `S3_ENDPOINT`, `S3_BUCKET`, … say. */
export type TestS3 = TestServer & {
  access: { endpoint: string; bucket: string; accessKeyId: string; secretAccessKey: string; region: string }
}

/** A real, empty S3 server with one bucket, for the caller alone. */
export async function testS3(): Promise<TestS3> {
  const server = await startTestServer({
    kind: 's3',
    folder: newServerFolder('s3'),
    options: { bucket: BUCKET },
  })
  const access = {
    endpoint: server.url,
    bucket: BUCKET,
    accessKeyId: 'any',
    secretAccessKey: 'any',
    region: 'us-east-1',
  }
  return { ...server, access }
}
