/** Equal whatever could not be read. */
export const PROFILE_UNAVAILABLE = "The profile service could not be read just now; what it says is missing here.";
export const DOCUMENTS_UNREADABLE = "Documents that cannot be read at the moment:";
export const CHANNELS_UNREADABLE = "Some channels could not be read just now, or not in full; ask again later.";

/** Whether a note reports an outage, so that an empty result proves little. */
export function saysOutage(note: string): boolean {
  return [PROFILE_UNAVAILABLE, DOCUMENTS_UNREADABLE, CHANNELS_UNREADABLE].some((outage) => note.includes(outage));
}
