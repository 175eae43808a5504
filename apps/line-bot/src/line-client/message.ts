/** One message object as LINE's reference describes it; what else it has depends on its type. */
export type LineMessage = { type: string; [property: string]: unknown }

/** LINE takes so many messages in one request. */
export const MESSAGES_MAX = 5
/** And so many receivers in a multicast. */
export const MULTICAST_IDS_MAX = 500
