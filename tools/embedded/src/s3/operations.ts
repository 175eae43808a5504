import type { Operation } from './answer.ts'
import { createBucket, deleteObjects, listObjects } from './buckets.ts'
import { deleteObject, getObject, putObject } from './objects.ts'

/**
 * Every supported operation, by `METHOD bucket` or `METHOD object`, with the query parameters it
 * understands.
 */
export const OPERATIONS: Record<string, { run: Operation; parameters: string[] }> = {
  'PUT bucket': { run: createBucket, parameters: [] },
  'HEAD bucket': { run: () => ({ status: 200 }), parameters: [] },
  'GET bucket': {
    run: listObjects,
    parameters: [
      'list-type',
      'prefix',
      'delimiter',
      'max-keys',
      'continuation-token',
      'start-after',
      'encoding-type',
      'fetch-owner',
    ],
  },
  'POST bucket': { run: deleteObjects, parameters: ['delete'] },
  'PUT object': { run: putObject, parameters: [] },
  'GET object': { run: getObject, parameters: [] },
  'HEAD object': { run: getObject, parameters: [] },
  'DELETE object': { run: deleteObject, parameters: [] },
}
