import { expect, test } from 'bun:test'
import { townAt } from './town.ts'

test('a place in Taiwan has its county and town in both languages', () => {
  expect(townAt({ lat: 24.5663, lng: 120.7081 })).toEqual({
    county: { zh: '苗栗縣', en: 'Miaoli County' },
    town: { zh: '通霄鎮', en: 'Tongxiao Township' },
  })
  expect(townAt({ lat: 23.5686, lng: 120.3052 })?.town.zh).toBe('北港鎮')
})

test('at sea and abroad there is none', () => {
  expect(townAt({ lat: 24, lng: 119 })).toBeNull()
  expect(townAt({ lat: 48.2, lng: 16.4 })).toBeNull()
})
