import DataLoader from 'dataloader'

/**
 * Loads the keys of one event-loop tick in one call: a call of another service or of a store costs more than what it does
 * for ten keys. `loadAll` gives as many values, in the order of the keys; when it fails, every `load` of that call fails.
 * Nothing is cached.
 */
export class BatchLoader<K, V> extends DataLoader<K, V> {
  constructor({
    loadAll,
    sizeMax,
  }: {
    loadAll: (keys: readonly K[]) => Promise<readonly V[]>
    /** Keys of one call. */
    sizeMax: number
  }) {
    super(loadAll, { cache: false, maxBatchSize: sizeMax, batchScheduleFn: setImmediate })
  }
}
