/** Who acts, for the edges that let requests, commands and jobs in. */
export { actAs, acting, nobody, runAs, userActor, type Actor, type Origin } from '../../database/audit/acting.ts';
