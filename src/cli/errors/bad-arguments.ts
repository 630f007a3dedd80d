/** Invalid command-line arguments. The message is printed as is. */
export class BadArguments extends Error {}
