import type { FeatureCollection } from 'geojson'
import type { StyleSpecification } from 'maplibre-gl'
import { baseMap } from './base-layers.ts'
import { TEXT_FONT } from './text-font.ts'
import { PEOPLE_ZOOM_MIN } from './view.ts'

export const EMPTY = { type: 'FeatureCollection' as const, features: [] }

type Colours = {
  sea: string
  land: string
  border: string
  name: string
  halo: string
  route: string
  trail: string
  crowd: string
  crowdText: string
  place: string
}
const LIGHT: Colours = {
  sea: '#cfdde6',
  land: '#fbf3e6',
  border: '#d9c4a4',
  name: '#6d5a45',
  halo: '#fffaf1',
  route: '#b98a3a',
  trail: '#b3261e',
  crowd: '#c2501e',
  crowdText: '#ffffff',
  place: '#1f5f56',
}
const DARK: Colours = {
  sea: '#1b1730',
  land: '#2a2244',
  border: '#4c3f6e',
  name: '#d6cbe8',
  halo: '#1d1733',
  route: '#d8a94c',
  trail: '#ff8a70',
  crowd: '#ff9d5c',
  crowdText: '#241a33',
  place: '#7fd6c4',
}

/** The map's layers over the coast and the counties. @param outlines counties with their names */
export function createStyle(outlines: FeatureCollection, scheme: 'light' | 'dark'): StyleSpecification {
  const dark = scheme === 'dark'
  const colours = dark ? DARK : LIGHT
  const base = baseMap({ dark })
  return {
    version: 8,
    sources: {
      ...base?.sources,
      outlines: { type: 'geojson', data: outlines },
      route: { type: 'geojson', data: EMPTY },
      trail: { type: 'geojson', data: EMPTY },
      density: { type: 'geojson', data: EMPTY },
      places: { type: 'geojson', data: EMPTY },
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': colours.sea } },
      {
        id: 'land',
        type: 'fill',
        source: 'outlines',
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'fill-color': colours.land },
      },
      {
        id: 'border',
        type: 'line',
        source: 'outlines',
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'line-color': colours.border, 'line-width': 1.2 },
      },
      ...(base?.layers ?? []),
      {
        id: 'route',
        type: 'line',
        source: 'route',
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': colours.route, 'line-width': 4, 'line-opacity': 0.55 },
      },
      {
        id: 'trail',
        type: 'line',
        source: 'trail',
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': colours.trail, 'line-width': 3.5 },
      },
      {
        id: 'density',
        type: 'circle',
        source: 'density',
        maxzoom: PEOPLE_ZOOM_MIN,
        paint: {
          'circle-color': colours.crowd,
          'circle-opacity': 0.92,
          'circle-stroke-color': colours.halo,
          'circle-stroke-width': 1.5,
          'circle-radius': ['interpolate', ['linear'], ['sqrt', ['get', 'n']], 1.7, 12, 10, 18, 100, 30],
        },
      },
      {
        id: 'counts',
        type: 'symbol',
        source: 'density',
        maxzoom: PEOPLE_ZOOM_MIN,
        layout: {
          'text-field': ['to-string', ['get', 'n']],
          'text-font': TEXT_FONT,
          'text-size': 13,
          'text-allow-overlap': true,
        },
        paint: { 'text-color': colours.crowdText },
      },
      {
        id: 'places',
        type: 'circle',
        source: 'places',
        minzoom: 8,
        paint: {
          'circle-color': colours.place,
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 8, 3, 14, 8],
          'circle-stroke-color': colours.halo,
          'circle-stroke-width': 1.5,
        },
      },
      {
        id: 'place-names',
        type: 'symbol',
        source: 'places',
        minzoom: 11,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': TEXT_FONT,
          'text-size': 14,
          'text-offset': [0, 1.1],
          'text-anchor': 'top',
          'text-optional': true,
        },
        paint: { 'text-color': colours.place, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
      },
      // The base map names its places itself.
      ...(base ? [] : [nameLayer('county', { colours, size: 17 }), nameLayer('town', { colours, size: 13 })]),
    ],
  }
}

/** Counties name themselves from afar, towns from near. */
const TOWN_ZOOM_MIN = 9.5

function nameLayer(kind: 'county' | 'town', { colours, size }: { colours: Colours; size: number }) {
  const language = document.documentElement.lang === 'en' ? 'en' : 'zh'
  return {
    id: `${kind}-names`,
    type: 'symbol' as const,
    source: 'outlines',
    ...(kind === 'county' ? { maxzoom: TOWN_ZOOM_MIN } : { minzoom: TOWN_ZOOM_MIN }),
    filter: ['==', ['get', 'kind'], kind] as ['==', ['get', string], string],
    layout: {
      'text-field': ['get', language] as ['get', string],
      'text-font': TEXT_FONT,
      'text-size': size,
      'text-letter-spacing': 0.05,
    },
    paint: { 'text-color': colours.name, 'text-halo-color': colours.halo, 'text-halo-width': 1.6 },
  }
}
