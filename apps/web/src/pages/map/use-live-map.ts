import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Activity } from '../../api/types.ts'
import type { LiveMap } from '../../map/live-map.ts'
import type { Person } from '../../map/people.ts'
import type { View } from '../../map/view.ts'

/** Without WebGL2, or with Save-Data, the text is the map (web face, sections 1 and 5). */
export function canShowMap(): boolean {
  const connection: { saveData?: boolean } | undefined = Reflect.get(navigator, 'connection')
  if (connection?.saveData === true) return false
  return document.createElement('canvas').getContext('webgl2') !== null
}

/** The map, whose chunk comes after the first view; one that failed or lost its graphics can be tried again. */
export function useLiveMap(wanted: boolean, bounds: Activity['bounds'] | undefined) {
  const holder = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<LiveMap | null>(null)
  const [view, setView] = useState<View | null>(null)
  const [person, setPerson] = useState<Person | null>(null)
  const [failed, setFailed] = useState(false)
  const started = useRef(false)
  useEffect(() => {
    if (!wanted || failed || started.current || bounds === undefined || holder.current === null) return
    started.current = true
    const element = holder.current
    const giveUp = () => {
      started.current = false
      setMap(null)
      setView(null)
      setPerson(null)
      setFailed(true)
    }
    import('../../map/live-map.ts')
      .then(({ createLiveMap }) =>
        createLiveMap(element, { bounds, onView: setView, onPerson: setPerson, onLost: giveUp }),
      )
      .then(setMap)
      .catch((error: unknown) => {
        console.warn('The map cannot be shown', error)
        giveUp()
      })
  }, [wanted, bounds, failed])
  return useMemo(
    () => ({
      holder,
      map,
      view,
      person,
      failed,
      forgetPerson: () => setPerson(null),
      tryAgain: () => setFailed(false),
    }),
    [map, view, person, failed],
  )
}
