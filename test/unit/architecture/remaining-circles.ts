/** Circles of files that are still to be broken. Remove each file that is in none any more. */
export const remainingFileCircles: readonly (readonly string[])[] = [];

/** Circles of folders of one level that are still to be broken, by the folder that holds them. */
export const remainingFolderCircles: Readonly<Record<string, readonly (readonly string[])[]>> = {};
