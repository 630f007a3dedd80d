import type { ModerationCategory } from '../../shared/moderation/moderation-result.ts';

const person =
  '(man|woman|boy|girl|child|children|kids|men|women|people|neighbou?rs?|wife|husband|mother|father|brother|sister|son|daughter|boss|teacher|colleagues?|family|friends?|enem(y|ies)|guards?|victims?)';
const someone = `(you|him|her|them|us|me|people|everyone|everybody|someone|somebody|((the|a|my|your|his|her|our|their|that|this) )?${person})`;
const harm = '(kill|murder|stab|shoot|strangle|behead|execute|beat|hurt|attack|torture)';
const self = '(myself|yourself|themselves|oneself)';
const group =
  '(immigrants|foreigners|refugees|muslims|jews|christians|hindus|black people|white people|asians|gays|lesbians|women|disabled people)';
const insult = '(idiot|moron|loser|worthless|pathetic|stupid|ugly|disgusting|scum)';
const contempt = '(vermin|subhuman|inferior|parasites|animals|cockroaches|filth|scum)';
const sexual = '(sex|sexual|sexually|erotic|porn|pornography|nude|naked|orgasm|masturbat\\w*|seduc\\w*)';
const minor = '(child|children|kid|kids|minor|minors|underage|schoolgirl|schoolboy|toddler|\\d ?-?year ?-?old)';
const howTo = '(how (do|can|could|would|to)|instructions|step by step|steps to|ways to|guide to|recipe for|teach me)';

/**
 * The sandbox's patterns of harmful content: plain sentences for each of OpenAI's categories. Every matching pattern
 * counts. They cover English only, and no context: this is not a model.
 */
export const harmfulWords: Readonly<Record<ModerationCategory, readonly RegExp[]>> = {
  harassment: patterns(
    `\\byou('re| are| look| sound)? (a |an |such |so |all |nothing but )*${insult}`,
    `\\b(shut up|nobody likes you|everyone hates you)\\b`,
  ),
  'harassment/threatening': patterns(
    `\\b(i|we)('ll| will|'m going to| am going to| want to| are going to) ${harm} (you|him|her|them)\\b`,
    `\\byou (will|are going to) (die|regret this|pay for this)\\b`,
  ),
  hate: patterns(`\\b${group}\\b[^.!?]{0,120}\\b${contempt}\\b`, `\\b(i|we) (hate|despise) (all )?(the )?${group}\\b`),
  'hate/threatening': patterns(
    `\\b${group}\\b[^.!?]{0,120}\\b(should|must|deserve to|need to|will) (all )?(be )?(killed|die|exterminated|eliminated|shot|burned|hanged)\\b`,
    `\\b(kill|exterminate|eliminate) (all )?(the )?${group}\\b`,
  ),
  illicit: patterns(
    `\\b${howTo}\\b[^.!?]{0,120}\\b(shoplift|steal|launder money|forge (a|an) \\w+|counterfeit|hack into|pick a lock|evade taxes|cook meth\\w*|make (meth\\w*|cocaine|heroin)|sell drugs|smuggle)\\b`,
  ),
  'illicit/violent': patterns(
    `\\b${howTo}\\b[^.!?]{0,120}\\b(bomb|explosives?|grenade|molotov cocktail|nerve gas|pipe bomb|landmine)\\b`,
    `\\b${howTo}\\b[^.!?]{0,120}\\b(buy|get|make|print) (an? )?(illegal|untraceable|ghost) (gun|guns|weapon|weapons|rifle)\\b`,
  ),
  'self-harm': patterns(
    `\\b(suicide|suicidal|self-harm\\w*|anorexia tips)\\b`,
    `\\b(kill|killing|hurt|hurting|cut|cutting|starve|starving|hang|hanging|poison|poisoning) ${self}\\b`,
    `\\bend my (own )?life\\b`,
  ),
  'self-harm/intent': patterns(
    `\\bi('m going to| am going to| want to| will|'ll| plan to| need to| keep) (kill|killing|hurt|hurting|cut|cutting|starve|starving|hang) myself\\b`,
    `\\bi('m going to| am going to| want to| will|'ll| plan to) (end my (own )?life|commit suicide|die)\\b`,
  ),
  'self-harm/instructions': patterns(
    `\\b${howTo}\\b[^.!?]{0,120}\\b(kill|hurt|cut|starve|hang|poison) ${self}\\b`,
    `\\b${howTo}\\b[^.!?]{0,120}\\b(commit suicide|tie a noose|painless suicide)\\b`,
  ),
  sexual: patterns(`\\b${sexual}\\b`),
  'sexual/minors': patterns(`\\b${sexual}\\b[^.!?]{0,120}\\b${minor}\\b`, `\\b${minor}\\b[^.!?]{0,120}\\b${sexual}\\b`),
  violence: patterns(
    `\\b${harm} ${someone}\\b`,
    `\\b(stabbed|murdered|strangled|beheaded|tortured|massacred|slaughtered) ${someone}\\b`,
    `\\b(massacre|bloodbath|mass shooting)\\b`,
  ),
  'violence/graphic': patterns(
    `\\b(blood (gushed|gushing|sprayed|spraying|spurted|spurting|pooled)|(severed|decapitated) (head|limb|arm|leg|hand)s?|disembowel\\w*|entrails|guts spill\\w*|mutilat\\w+|dismember\\w*)\\b`,
  ),
};

function patterns(...sources: readonly string[]): RegExp[] {
  return sources.map((source) => new RegExp(source, 'i'));
}
