import type { SourceFile } from '../../harness/source-imports.ts';

/** Names that mean nothing else: each was replaced by a standard term, and does not come back anywhere. */
const retired =
  /\b(?:Watchers|StandingHold|LateBills|AnswerTeller|ToldCalls|UsualEnding|PassingBytes|BudgetBook|OpenPlaces|SpoiltRecord|callerGone|leftOpen|whyMissing|holdOn|letGo|dearestUse|usedUnanswered|adoptInterrupted|takesNot|fewestOutputTokens|orUnavailable|forsake|lookAtVideo|fromThere|tellFault|useTell|ForWhoMay|whoMay|keptState|KeyPowers|asksForMaker)\b|\b(?:MOST|LONGEST|USUAL|LARGEST|FEWEST|SHORTEST|SMALLEST)_[A-Z]/g;

/** Ordinary words, retired only as names of types of the gateway. */
const retiredTypes =
  /\b(?:class|interface|type|enum) (?:Plan|Route|Hold|Course|Ending|Scout|Exchange|Opening|Work|Release|Outlet)\b/g;

/** Names that outside programs or stored data rely on. */
const kept: Readonly<Record<string, string>> = {
  'storage/limits/limit-script.ts': 'steps of the Redis script, shared with servers of other versions',
  'storage/limits/redis-limit-store.ts': 'steps of the Redis script, shared with servers of other versions',
};

/** @returns what a file uses or declares by a retired name */
export function retiredNamesIn({ path, text }: SourceFile): string[] {
  if (path in kept) return [];
  const types = path.startsWith('gateway/') ? (text.match(retiredTypes) ?? []) : [];
  return [...(text.match(retired) ?? []), ...types].map((name) => `${path}: ${name}`);
}
