/** In the data folder of an instance, and in the folder of each worker. */
export const LOCK = 'lock';
