import {
  ERASURE_DEADLINE_MS,
  FINAL_FLUSH_DEADLINE_MS,
  IMPORT_DEADLINE_MS,
  MENU_DEADLINE_MS,
  PHOTO_DEADLINE_MS,
  type Route,
  route,
  type ServiceName,
} from './route.ts'

/** "Other public POST and PATCH" and "public GET" of the contract's rate limits. */
const writes = { limits: ['writesByAddress', 'writesByUser'] } as const
/** The same where an unknown `userId` becomes a participant. */
const registers = { limits: ['writesByAddress', 'writesByUser', 'newParticipants'] } as const
/** Counted by participant in its own window, and its stored bytes by address. */
const submits = { limits: ['writesByAddress', 'submit', 'writtenBytes', 'newParticipants'] } as const
const reads = { limits: ['readsByAddress'] } as const
/** What is the caller's own alone. */
const ofSelf = { userAuth: 'self', limits: ['readsByAddress', 'writesByUser'] } as const
/** What a reporter sees and does by the edit token of a case. */
const ofReporter = { token: 'feedback-token' } as const
const writesOwn = { userAuth: 'self', limits: ['writesByAddress', 'writesByUser'] } as const
const ofUser = { userId: 'body' } as const
/** Points are stored by their key (contract section 3), and all other such writes set a state without a history. */
const idempotent = { repeatable: true } as const
/** The parameters of the map; a made-up one would have it built once more. */
const ofMap = { parameters: ['bbox', 'since', 'limit', 'format'] } as const
/** The public GETs of the pages, for shared caches. A change is to be seen within a second, hence half of one. */
const publicRead = { limits: ['pages'], cache: 'service', freshMs: 500 } as const
/** Web face, section 4. */
const ROUTE_FILE_BYTES_MAX = 1_048_576
const PHOTO_FORM_BYTES_MAX = 10_485_760
/** Phone apps, section 5. */
const IMPORT_FORM_BYTES_MAX = 52_428_800
/** What organisers keep for everybody: read from tier 1, written from tier 2. */
const guideRoutes = (path: `/${string}`, service: ServiceName, what: string): Route[] => [
  route('GET', path, service, { tier: 1 }, `All ${what}s`),
  route('POST', path, service, { tier: 2 }, `Add a ${what}`),
  route('PATCH', `${path}/{id}`, service, { tier: 2 }, `Change a ${what}`),
  route('DELETE', `${path}/{id}`, service, { tier: 2 }, `Delete a ${what}`),
]
/** Answered by the gateway, which alone sees the secrets that people sign in with. */
const ofSession = { handler: 'session' } as const
/** The caller's own, or any participant's for an administrator; never an open call, whatever USER_AUTH is. */
const ownDevices = { tier: 2, userAuth: 'instead' } as const
/** Costly, and as useful a minute later. */
const low = { priority: 'low' } as const
/** Check-ins, and what an organiser needs under overload. */
const critical = { priority: 'critical' } as const

/**
 * The table: every route of the contract (sections 2 to 6), and all that the gateway knows of it. A path that is not
 * here is 404. Paths are without `/api/<brand>`.
 */
export const ROUTES: readonly Route[] = [
  // Participants (contract section 2)
  route(
    'POST',
    '/user/sync',
    'engagement',
    { ...ofUser, ...idempotent, ...registers },
    'Create a participant or update the fields given',
  ),
  route(
    'GET',
    '/user/{userId}',
    'engagement',
    { userId: 'path', ...reads, userAuth: 'recognised', batch: '/internal/profile-batch' },
    'Profile, distance, check-ins and level',
  ),
  route(
    'GET',
    '/user/{userId}/export',
    'engagement',
    { userId: 'path', ...ofSelf, ...low },
    'Everything that is kept of me',
  ),
  route(
    'POST',
    '/user/phone',
    'engagement',
    { ...ofUser, ...idempotent, ...registers },
    'Set or remove the phone number',
  ),
  route(
    'POST',
    '/privacy',
    'engagement',
    { ...ofUser, ...idempotent, ...registers },
    'Give or withdraw the privacy consent',
  ),
  route(
    'POST',
    '/participant-status',
    'engagement',
    { ...ofUser, ...idempotent, ...registers },
    'Complete, withdraw or come back',
  ),
  route('POST', '/submit', 'engagement', { ...ofUser, ...idempotent, ...submits }, 'Submit the survey'),
  route(
    'POST',
    '/survey',
    'engagement',
    { ...ofUser, ...idempotent, ...submits },
    'Submit the survey (alias of /submit)',
  ),
  route('GET', '/survey', 'engagement', { ...reads, cache: 'service' }, 'The questions of the survey'),

  // GPS (section 3)
  route(
    'POST',
    '/checkin',
    'tracking',
    {
      ...ofUser,
      ...idempotent,
      ...critical,
      limits: ['checkin', 'newParticipants'],
      batch: '/internal/checkin-batch',
    },
    'Check in at a place',
  ),
  route(
    'POST',
    '/track/sync',
    'tracking',
    {
      ...ofUser,
      ...idempotent,
      ...critical,
      limits: ['trackSync', 'newParticipants'],
      batch: '/internal/sync-batch',
      whenTooLarge: 'Send fewer points at a time, such as 500.',
    },
    'Send recorded points',
  ),
  route(
    'GET',
    '/data',
    'map',
    {
      limits: ['readsByAddress', 'mapQueries'],
      ...ofMap,
      token: 'optional',
      cache: 'service',
      shared: true,
    },
    'The latest positions',
  ),
  route(
    'GET',
    '/data/stream',
    'map',
    { ...reads, ...ofMap, token: 'optional', stream: true },
    'The latest positions as they move',
  ),
  route(
    'GET',
    '/user/{userId}/track',
    'map',
    { userId: 'path', ...ofSelf, ...low, parameters: ['format', 'from', 'to', 'filtered'] },
    'My track',
  ),
  route('GET', '/photos/count', 'media', { userId: 'query', ...reads }, 'How many photos a participant sent'),

  route(
    'POST',
    '/upload/photos',
    'media',
    {
      ...writesOwn,
      body: 'bytes',
      bodyBytesMax: PHOTO_FORM_BYTES_MAX,
      atRoot: true,
      deadlineMs: PHOTO_DEADLINE_MS,
      whenTooLarge: 'Send a smaller photo.',
    },
    'Upload a photo, and check in with it',
  ),
  route('GET', '/photos', 'media', { ...ofSelf, parameters: ['limit', 'cursor'] }, 'My photos'),
  route('GET', '/photos/{id}', 'media', ofSelf, 'One of my photos'),
  route('DELETE', '/photos/{id}', 'media', writesOwn, 'Delete one of my photos'),

  route(
    'POST',
    '/upload/import',
    'media',
    {
      ...writesOwn,
      ...low,
      deviceToken: true,
      body: 'bytes',
      bodyBytesMax: IMPORT_FORM_BYTES_MAX,
      atRoot: true,
      deadlineMs: IMPORT_DEADLINE_MS,
      whenTooLarge: 'Send the recording in parts.',
    },
    'Import a file of a recorded walk',
  ),
  // Asked again and again until it is done.
  route('GET', '/import/{id}', 'media', { userAuth: 'self', ...reads }, 'What became of an imported file'),

  route('POST', '/share', 'engagement', writesOwn, 'Let my family see where I am'),
  route('GET', '/share', 'engagement', ofSelf, 'My open link'),
  route('DELETE', '/share', 'engagement', writesOwn, 'Take my link back'),
  route(
    'GET',
    '/share/{token}',
    'engagement',
    { ...reads, issued: 'family link', parameters: ['reader'] },
    'Where the person of a link is',
  ),

  // Cards and feedback (section 4)
  route(
    'POST',
    '/og-image',
    'media',
    { ...ofUser, ...writes, ...low, token: 'optional' },
    'Make a share card',
  ),
  route(
    'GET',
    '/og/{userId}.png',
    'media',
    { userId: 'path', ...reads, ...low, cache: 'service' },
    'A share card',
  ),
  route(
    'GET',
    '/c/{shareId}.png',
    'media',
    { ...reads, ...low, cache: 'service', atRoot: true },
    'A share card by its public address',
  ),
  route(
    'POST',
    '/feedback',
    'engagement',
    { userId: 'body?', limits: [...registers.limits, 'writtenBytes'] },
    'Send feedback',
  ),
  route(
    'POST',
    '/feedback-upload',
    'media',
    { body: 'upload', userId: 'body?', ...writes, ...low },
    'Upload a screenshot',
  ),
  route('GET', '/feedback-image/{filename}.png', 'media', { ...reads, cache: 'service' }, 'A screenshot'),
  route('GET', '/feedback', 'engagement', { ...reads, token: 'optional' }, 'List feedback'),
  route(
    'GET',
    '/feedback/status',
    'engagement',
    reads,
    'The status of a feedback item, or how many have which',
  ),
  route(
    'PATCH',
    '/feedback/{id}',
    'engagement',
    { tier: 2, token: 'or-feedback-token', limits: ['writesByAddress', 'writtenBytes'] },
    'Answer feedback, or change its message with the edit token',
  ),

  // Lost and found (web face, section 4)
  route(
    'POST',
    '/lost',
    'engagement',
    { userAuth: 'recognised', limits: ['writesByAddress', 'lostReports', 'writtenBytes'] },
    'Report somebody who is missing, or was found',
  ),
  route('GET', '/lost/{id}', 'engagement', { ...ofReporter, ...reads }, 'The status of my report'),
  route(
    'PATCH',
    '/lost/{id}',
    'engagement',
    { ...ofReporter, limits: ['writesByAddress'] },
    'Close my report: found again',
  ),

  // Sessions (web face, section 2)
  route('GET', '/session', 'engagement', { ...ofSession, ...reads }, 'Who is signed in here'),
  route('POST', '/session', 'engagement', ofSession, 'Sign in'),
  route(
    'POST',
    '/session/link',
    'engagement',
    { ...ofSession, limits: ['writesByAddress'] },
    'Join the walk of a device to a LINE id',
  ),
  route(
    'DELETE',
    '/session',
    'engagement',
    { ...ofSession, limits: ['writesByAddress'] },
    'Sign out, here or everywhere',
  ),
  route('GET', '/sessions', 'engagement', { ...ofSession, ...ofSelf }, 'Where I am signed in'),
  route('DELETE', '/sessions/{id}', 'engagement', { ...ofSession, ...writesOwn }, 'End one of my sessions'),

  // Apps on phones (phone apps, section 2)
  route(
    'POST',
    '/devices',
    'engagement',
    { ...ofUser, ...ownDevices, ...writes },
    'Let an app on a phone send positions',
  ),
  route(
    'GET',
    '/devices',
    'engagement',
    { ...ownDevices, ...reads },
    'The devices of a participant, and whether their points arrive',
  ),
  route(
    'POST',
    '/devices/{id}/rotate',
    'engagement',
    { ...ownDevices, body: 'json?', limits: ['writesByAddress'] },
    'Give a device another write token',
  ),
  route(
    'DELETE',
    '/devices/{id}',
    'engagement',
    { ...ownDevices, limits: ['writesByAddress'] },
    'Revoke a device',
  ),
  route(
    'POST',
    '/setup-links',
    'engagement',
    { ...ofUser, ...ownDevices, ...writes },
    'Make a link by which a phone app is set up',
  ),
  // By the code alone: another phone has no session.
  route(
    'POST',
    '/setup-links/open',
    'engagement',
    { limits: ['writesByAddress'] },
    'Choose the app of a link',
  ),
  route(
    'POST',
    '/setup-links/status',
    'engagement',
    { limits: ['readsByAddress'] },
    'What became of a link, and whether points arrive',
  ),
  // By the code alone, once: the app sends no header.
  route(
    'GET',
    '/in/gpslogger/setup/{code}.properties',
    'engagement',
    { limits: ['readsByAddress'], repeatable: false, atRoot: true },
    'The settings of GPSLogger',
  ),

  // The activity
  route('GET', '/activity', 'engagement', publicRead, 'The activity: status, message, name, dates'),

  // The public pages (web face, section 4)
  route('GET', '/beacons', 'map', publicRead, 'Where the palanquin and the vehicles are'),
  route(
    'GET',
    '/beacons/{id}/trail',
    'map',
    { ...publicRead, parameters: ['since'], byMinute: 'since' },
    'The way of a beacon in the last twelve hours',
  ),
  route(
    'GET',
    '/density',
    'map',
    { ...publicRead, parameters: ['z', 'x', 'y'] },
    'Density of the crowd, by cells',
  ),
  route('GET', '/places', 'engagement', publicRead, 'Services on the way'),
  route('GET', '/route', 'engagement', publicRead, 'The planned or walked way'),
  route('GET', '/notices', 'engagement', publicRead, 'What the organisers announce'),
  route('GET', '/consent', 'engagement', publicRead, 'The privacy notice and its version'),

  // Administration (section 5)
  route('GET', '/auth/role', 'engagement', { tier: 1 }, 'The role that the token gives'),
  route('GET', '/admin/status', 'engagement', { tier: 1, ...critical }, 'The status of the activity'),
  route('GET', '/admin/timeline', 'engagement', { tier: 1, ...low }, 'The event in hours or days'),
  route('GET', '/admin/clusters', 'map', { tier: 1, ...low }, 'Positions counted by grid cell'),
  route(
    'GET',
    '/admin/find',
    'engagement',
    { tier: 1, limits: ['finds'], parameters: ['q', 'reason'] },
    'Find a participant: by name, phone number or id',
  ),
  route('GET', '/line-usage', 'lineBot', { tier: 1 }, 'How much of the message quota is used'),
  route('GET', '/admin/surveys', 'engagement', { tier: 2, ...low }, 'All survey responses'),
  route('GET', '/admin/carbon', 'engagement', { tier: 2, ...low }, 'Carbon footprint of the event'),
  route('GET', '/admin/audit', 'engagement', { tier: 2 }, 'What administrators did'),
  route('GET', '/admin/users', 'engagement', { tier: 2, ...low }, 'All participants with statistics'),
  route('GET', '/admin/users/{userId}', 'engagement', { tier: 2, userId: 'path' }, 'One participant'),
  route(
    'GET',
    '/admin/users/{userId}/track',
    'map',
    { tier: 2, userId: 'path', ...low },
    'The track of a participant',
  ),
  route('GET', '/admin/settings', 'engagement', { tier: 3 }, 'The settings'),
  route('PATCH', '/admin/settings', 'engagement', { tier: 3 }, 'Change settings, without a restart'),
  ...guideRoutes('/admin/beacons', 'tracking', 'beacon'),
  ...guideRoutes('/admin/places', 'engagement', 'place'),
  ...guideRoutes('/admin/notices', 'engagement', 'notice'),
  ...guideRoutes('/admin/lost', 'engagement', 'case of lost and found'),
  route('GET', '/admin/route', 'engagement', { tier: 1 }, 'The route'),
  route('POST', '/admin/route', 'engagement', { tier: 2 }, 'Set the route, as GeoJSON'),
  route('PATCH', '/admin/route', 'engagement', { tier: 2 }, 'Set the route, as GeoJSON'),
  route('DELETE', '/admin/route', 'engagement', { tier: 2 }, 'Delete the route'),
  route(
    'POST',
    '/upload/route',
    'engagement',
    { tier: 2, body: 'bytes', bodyBytesMax: ROUTE_FILE_BYTES_MAX, atRoot: true },
    'Set the route by a file, GeoJSON or GPX',
  ),
  route('GET', '/admin/roles', 'engagement', { tier: 2 }, 'All roles'),
  route('POST', '/admin/roles', 'engagement', { tier: 2, ...ofUser }, 'Give or take a role'),
  route('PUT', '/admin/status', 'engagement', { tier: 2, ...critical }, 'Pause or resume the activity'),
  route(
    'POST',
    '/admin/end-activity',
    'engagement',
    { tier: 2, body: 'json?', deadlineMs: FINAL_FLUSH_DEADLINE_MS, ...critical },
    'End the activity; answers after the final flush',
  ),
  route('POST', '/push', 'lineBot', { tier: 2 }, 'Send a message, now or at a time'),
  route('GET', '/push', 'lineBot', { tier: 2 }, 'All messages that administrators sent or scheduled'),
  route('DELETE', '/push/{pushId}', 'lineBot', { tier: 2 }, 'Take back a message that is scheduled'),
  route('GET', '/push/{pushId}', 'lineBot', { tier: 2 }, 'What became of a message'),
  route(
    'POST',
    '/admin/richmenu',
    'lineBot',
    { tier: 3, body: 'json?', deadlineMs: MENU_DEADLINE_MS },
    'Deploy the rich menu',
  ),
  route(
    'DELETE',
    '/user/{userId}',
    'engagement',
    {
      tier: 3,
      userId: 'path',
      userAuth: 'instead',
      limits: ['writesByUser'],
      deadlineMs: ERASURE_DEADLINE_MS,
    },
    'Erase a participant everywhere',
  ),

  // LINE (section 6)
  route('POST', '/webhook', 'lineBot', { body: 'bytes', ...critical }, 'Events of the chat platform'),
]

/** The path prefix of all of them: `/api/<brand>`. */
export const prefixOf = (brand: string): string => `/api/${brand}`
