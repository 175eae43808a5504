import type { FeatureCollection } from 'geojson'
import { useEffect, useState } from 'preact/hooks'
import type { PlaceFeature } from '../api/types.ts'
import type { Interruption } from '../recording/interruption.ts'
import { type Day, type Night, nightsOf, walkOf } from './day.ts'
import { type Drawn, drawnWalk } from './drawing.ts'
import { type OwnPhoto, readOutlines, readPhotos, readPlaces, readPoints } from './read-walk.ts'

/** Everything that the look back shows. */
export type LookedBack = {
  days: readonly Day[]
  nights: readonly Night[]
  drawn: Drawn
  photos: readonly OwnPhoto[]
  places: readonly PlaceFeature[]
  /** The counties, as the map has them. */
  outlines: FeatureCollection
}

/** Reads a walk once, and when `renew` changes or on request. Null: on its way; `unavailable`: not now. */
export function useWalk({
  userId,
  timezone,
  interruptions,
  hasPhotos,
  renew,
}: {
  userId: string
  timezone: string
  interruptions: readonly Interruption[]
  hasPhotos: boolean
  renew: unknown
}): { walk: LookedBack | 'unavailable' | null; retry: () => void } {
  const [walk, setWalk] = useState<LookedBack | 'unavailable' | null>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let left = false
    const read = async () => {
      const [points, photos, places, outlines] = await Promise.all([
        readPoints(userId),
        hasPhotos ? readPhotos() : [],
        readPlaces(),
        readOutlines(),
      ])
      if (left) return
      if (points === null || photos === null || outlines === null)
        return setWalk((before) => (before === null ? 'unavailable' : before))
      const walked = walkOf(points, { timezone, interruptions })
      const nights = nightsOf(walked.days)
      const drawn = await drawnWalk(walked, nights)
      if (!left) setWalk({ days: walked.days, nights, drawn, photos, places, outlines })
    }
    void read()
    return () => {
      left = true
    }
  }, [userId, timezone, interruptions, hasPhotos, renew, turn])
  const retry = () => {
    setWalk(null)
    setTurn((before) => before + 1)
  }
  return { walk, retry }
}
