/** The passwords of at least eight characters that head every published list of leaked ones. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `password password1 password12 password123 password1234 passw0rd p@ssw0rd p@ssword 12345678 123456789 1234567890 87654321 987654321 0987654321
11111111 00000000 88888888 66666666 12341234 11223344 12344321 123123123 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 zaq12wsx qwertyuiop qwerty12 qwerty123
qwerty1234 qwerty12345 qwertyui asdfghjk asdfghjkl zxcvbnm1 zxcvbnm123 abcd1234 abc12345 abc123456 a1b2c3d4 aa123456 a1234567 asdf1234 iloveyou iloveyou1
sunshine princess football baseball basketball superman batman123 starwars trustno1 whatever jennifer michelle welcome1 welcome123 changeme changeme1
admin123 admin1234 administrator letmein1 letmein123 master123 dragon123 monkey123 shadow123 computer internet samsung1 liverpool chelsea1 arsenal1
jordan23 charlie1 michael1 jessica1 google123 facebook linkedin adobe123 photoshop minecraft pokemon1 naruto123 secret123 default1 test1234 testtest guest1234
hello123 helloworld maverick corvette mercedes midnight victoria elizabeth alexander christian jonathan danielle benjamin samantha stephanie butterfly 1password`.split(
    /\s+/,
  ),
);
