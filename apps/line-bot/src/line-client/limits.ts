/** Of a text message, in UTF-16 units. */
export const TEXT_UNITS_MAX = 5_000
/** Messages in one request. */
export const MESSAGES_MAX = 5
/** Receivers of one multicast. */
export const MULTICAST_IDS_MAX = 500
