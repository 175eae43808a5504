import { expect, test } from 'bun:test'
import { mayAssign, permissionsOf, ROLES, type Role, whichMayBeReplaced } from './role'

const roles: (Role | null)[] = ['owner', 'manager', 'volunteer', null]

test('an owner can give and remove any role', () => {
  expect(roles.every((role) => roles.every((current) => mayAssign(3, role, current)))).toBe(true)
})

test('a manager can give and remove the role of volunteers only', () => {
  const allowed = roles.flatMap((role) =>
    roles.filter((current) => mayAssign(2, role, current)).map((current) => [role, current]),
  )
  expect(allowed).toEqual([
    ['volunteer', 'volunteer'],
    ['volunteer', null],
    [null, 'volunteer'],
    [null, null],
  ])
})

test('the roles that a caller may replace are those that the caller may assign over', () => {
  expect([null, ...ROLES].map((role) => whichMayBeReplaced(2, role))).toEqual([
    ['volunteer'],
    [],
    [],
    ['volunteer'],
  ])
  expect(whichMayBeReplaced(3, 'owner')).toEqual([...ROLES])
})

test('a volunteer, or a caller without a role, can assign nothing', () => {
  expect(
    [0, 1].some((level) => roles.some((role) => roles.some((current) => mayAssign(level, role, current)))),
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
