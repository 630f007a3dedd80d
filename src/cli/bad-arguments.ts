/** What is wrong with the arguments, to be read by who typed them. */
export class BadArguments extends Error {}
