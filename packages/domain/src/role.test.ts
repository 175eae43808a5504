import { expect, test } from 'bun:test'
import { mayAssign, permissionsOf, ROLES, type Role, whichMayBeReplaced } from './role'

const held: (Role | null)[] = ['owner', 'manager', 'volunteer', null]

test('an owner gives and takes any role', () => {
  expect(held.every((role) => held.every((current) => mayAssign(3, role, current)))).toBe(true)
})

test('a manager gives and takes volunteers alone', () => {
  const allowed = held.flatMap((role) =>
    held.filter((current) => mayAssign(2, role, current)).map((current) => [role, current]),
  )
  expect(allowed).toEqual([
    ['volunteer', 'volunteer'],
    ['volunteer', null],
    [null, 'volunteer'],
    [null, null],
  ])
})

test('what may stand in the place of a role is what the caller may replace', () => {
  expect([null, ...ROLES].map((role) => whichMayBeReplaced(2, role))).toEqual([
    ['volunteer'],
    [],
    [],
    ['volunteer'],
  ])
  expect(whichMayBeReplaced(3, 'owner')).toEqual([...ROLES])
})

test('a volunteer, and nobody at all, gives nothing', () => {
  expect(
    [0, 1].some((level) => held.some((role) => held.some((current) => mayAssign(level, role, current)))),
  ).toBe(false)
})

test('each tier may do what the tier below may, and more', () => {
  const [owner, manager, volunteer] = ROLES.map(permissionsOf)
  expect(manager).toEqual(expect.arrayContaining(volunteer ?? []))
  expect(owner).toEqual(expect.arrayContaining(manager ?? []))
  expect([owner?.length, manager?.length, volunteer?.length]).toEqual([20, 17, 4])
  expect(volunteer).toEqual(['status:read', 'timeline:read', 'clusters:read', 'line-usage:read'])
  expect(manager).not.toContain('participants:erase')
})
