/** Why a month cannot be archived, for the operator. */
export class ArchiveError extends Error {}
