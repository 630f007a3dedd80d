/** The billed part of a period's spend: all beyond the allowance. In nano-USD. */
export function amountDue(spendNano: bigint, allowanceNano: bigint): bigint {
  return spendNano > allowanceNano ? spendNano - allowanceNano : 0n;
}

/** The part of the allowance that a period's spend has used. In nano-USD. */
export function allowanceUsed(spendNano: bigint, allowanceNano: bigint): bigint {
  return spendNano < allowanceNano ? spendNano : allowanceNano;
}
