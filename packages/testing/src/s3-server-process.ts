import { startFauxqs } from 'fauxqs'

const [s3StorageDir = '', bucket = '', port, host = '127.0.0.1'] = process.argv.slice(2)
await startFauxqs({ host, port: Number(port), s3StorageDir, init: { buckets: [bucket] }, logger: false })
