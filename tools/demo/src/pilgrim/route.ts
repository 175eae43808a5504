import type { Place } from '@palanquin/domain/geo'

/** The route of the Baishatun Mazu to Beigang, roughly: temples and towns from north to south. */
export const BAISHATUN_ROUTE: readonly (Place & { name: string })[] = [
  { name: '白沙屯拱天宮', lat: 24.5655, lng: 120.7096 },
  { name: '通霄', lat: 24.49, lng: 120.677 },
  { name: '苑裡', lat: 24.443, lng: 120.652 },
  { name: '大甲鎮瀾宮', lat: 24.3457, lng: 120.6238 },
  { name: '清水', lat: 24.2686, lng: 120.5752 },
  { name: '沙鹿', lat: 24.2337, lng: 120.566 },
  { name: '大肚', lat: 24.1537, lng: 120.541 },
  { name: '彰化', lat: 24.0759, lng: 120.5444 },
  { name: '花壇', lat: 24.029, lng: 120.539 },
  { name: '員林', lat: 23.9592, lng: 120.5707 },
  { name: '永靖', lat: 23.9247, lng: 120.5475 },
  { name: '北斗', lat: 23.871, lng: 120.521 },
  { name: '溪州', lat: 23.851, lng: 120.499 },
  { name: '西螺', lat: 23.7981, lng: 120.4658 },
  { name: '虎尾', lat: 23.708, lng: 120.432 },
  { name: '土庫', lat: 23.678, lng: 120.392 },
  { name: '元長', lat: 23.649, lng: 120.315 },
  { name: '北港朝天宮', lat: 23.5681, lng: 120.3043 },
]
