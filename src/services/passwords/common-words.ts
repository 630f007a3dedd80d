/** The most frequent components of leaked passwords: alone, or with a few digits and symbols. */
export const commonWords: ReadonlySet<string> = new Set(
  `password passwort passw motdepasse contrasena contraseña parola senha haslo salasana admin administrator root user username guest test tester testing default
login logon welcome letmein access secret private master system server manager support service security internet computer network oracle cisco docker google
facebook twitter instagram youtube linkedin microsoft windows apple android samsung iphone nokia sony playstation xbox nintendo minecraft roblox fortnite pokemon
pikachu naruto sasuke goku zelda mario sonic starwars skywalker vader yoda startrek matrix batman superman spiderman ironman wolverine avengers hulk joker harley
qwerty qwertz azerty qwert asdf asdfgh asdfghjkl zxcvb zxcvbn zxcvbnm qazwsx qazwsxedc wsxedc poiuy poiuyt lkjhg mnbvc mnbvcxz abcd abcde abcdef abcdefg abcdefgh
iloveyou iloveu loveyou ilove love lover lovely loveme forever together always baby babygirl babyboy honey sweetheart sweet sweetie darling angel angels heart
princess prince queen king kingdom royal princesa amor teamo tequiero mylove mariposa bonita hermosa chocolate cookie cookies candy sugar cherry banana orange
strawberry pepper ginger peanut butter pumpkin muffin cupcake coffee whiskey vodka pizza cheese chicken apples lemon peaches
dragon monkey tiger lion eagle falcon hawk wolf bear panther cougar jaguar mustang stallion horse horses ponies puppy kitty kitten doggie dolphin dolphins turtle
butterfly spider cobra viper phoenix unicorn rabbit bunny shark sharks snake chicken rooster turkey penguin panda koala gorilla bulldog
football soccer baseball basketball hockey tennis golf golfer rugby cricket volleyball swimming softball wrestling boxing running skating surfing racing rangers
yankees redsox cowboys lakers steelers packers eagles raiders patriots broncos chelsea arsenal liverpool barcelona realmadrid juventus milan inter bayern celtic
manchester united everton tottenham newcastle benfica porto ajax fenerbahce galatasaray besiktas flamengo corinthians palmeiras santos
summer winter spring autumn january february march april june july august september october november december monday tuesday wednesday thursday friday
saturday sunday sommer herbst fruehling sunshine sunset sunrise sunflower rainbow flower flowers rose roses daisy jasmine lilly orchid garden forest mountain
ocean river island beach hawaii heaven earth planet galaxy universe stars starlight moon moonlight midnight morning thunder lightning storm hurricane
diamond silver golden crystal platinum emerald sapphire ruby pearl purple yellow orange green black white blue pink red blackie
michael jennifer jessica ashley matthew joshua andrew daniel christopher christian christina christine anthony robert william joseph thomas charles james john
david richard steven stephen kevin brian george edward ronald timothy jason jeffrey ryan jacob nicholas gary eric jonathan larry justin scott brandon benjamin
samuel gregory frank alexander patrick raymond jack dennis jerry tyler aaron jose adam nathan henry douglas zachary peter kyle walter ethan jeremy harold keith
mary patricia linda barbara elizabeth susan sarah karen nancy lisa betty margaret sandra emily donna michelle dorothy carol amanda melissa deborah
stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma nicole helen samantha katherine catherine rachel carolyn janet
virginia maria heather diane julie joyce victoria olivia kelly lauren joan evelyn judith megan cheryl andrea hannah martha jacqueline frances gloria
teresa sara madison kathryn abigail sophia jean alice judy isabella julia grace amber denise danielle marilyn beverly charlotte natalie diana
brittany doris kayla alexis lori marie tiffany vanessa chelsea taylor jordan morgan maggie bailey buster charlie cooper rocky lucky shadow smokey max
molly sophie oliver oscar tigger bandit sammy casey harley ginger gizmo merlin simba sparky angel toby duke bella lucy daisy sadie chloe
alejandro carlos fernando francisco gabriel gabriela guadalupe javier jorge juan luis manuel miguel pedro rafael ricardo roberto sergio antonio claudia
andreas stefan sebastian florian tobias alexandra katharina johannes thorsten wolfgang olga natasha svetlana dmitry vladimir sergey andrey nikita
mohammed mohamed ahmed ali hassan hussein ibrahim omar yusuf fatima aisha muhammad abdullah
america american england london paris berlin madrid roma tokyo moscow russia germany france italia italy espana spain mexico brasil brazil canada australia
texas florida california newyork chicago boston dallas houston denver phoenix seattle atlanta vegas lasvegas hollywood brooklyn indiana carolina
mercedes porsche ferrari lamborghini corvette camaro mustang toyota honda nissan suzuki yamaha kawasaki harley ducati chevrolet chevy pontiac subaru
hello helloworld goodbye whatever nothing something anything everything somebody nobody please thankyou changeme change trustno ninja samurai warrior
soldier sniper killer hunter hacker pirate wizard witch demon devil satan lucifer jesus jesuschrist christ church faith hope blessed blessing believe
trinity godisgood god bless family mother father sister brother daddy mommy mama papa friend friends bestfriend children school college student teacher
music guitar drummer metallica nirvana slipknot eminem beatles rockstar rocknroll hiphop dance dancer dancing singer movie cinema hollywood disney
freedom liberty peace happy happiness smile smiley lucky luck money dollar million business company office letme magic fantasy legend eternity destiny
pass word maverick cowboy scooter hotdog bigdog peaches blaster trouble intruder startrek gateway snoopy garfield tinker tinkerbell scooby barney homer bart
simpson simpsons gemini scorpio taurus aries leo virgo libra pisces capricorn aquarius sagittarius cancer zodiac
abcdef qweasd qweasdzxc asdasd zxczxc qweqwe aaaaaa abcabc asdfasdf test demo sample temp temporary public example office winter
cocacola pepsi marlboro budweiser heineken guinness tequila jackdaniels redbull nutella snickers doritos mcdonalds burger starbucks subway nike adidas puma gucci
scorpion butthead bigdaddy airborne hardcore swordfish cheyenne elephant dickhead redskins snowball bulldogs fuckyou bullshit asshole bitch fucker fuckoff pussy
porn sexy hotsex sexsex lesbian naked nipples tits boobs horny hentai playboy penthouse hustler slut whore shit shithead bastard motherfucker bollocks wanker
rush2112 ncc1701 ncc1701d ncc1701e thx1138 blink182 r2d2c3po agent007 jamesbond bond007 bigmac kenwood pentium compaq motorola ericsson panasonic toshiba canon
access14 mustang1 shadow1 hammer hawkeye thunderbird thumper tomcat rabbit ranger hotrod racecar nascar chopper bigbird bigbear bigman fatboy fatcat blowjob
sailing fishing hunting camping climbing hiking cycling bicycle motorcycle airplane pilot captain sergeant marines airforce navy army military soldier police
fireman firefighter doctor nurse lawyer engineer student scientist professor director president america1 senator minister pastor preacher gospel psalm gabriel
archangel michaela raphael lucas mateo santiago sofia valentina camila martina daniela mariana alejandra fernanda leticia juliana bruna larissa rafaela thiago
gustavo felipe leonardo eduardo marcelo rodrigo vinicius bernardo pierre jacques francois nicolas julien antoine camille manon chloe lea marion pauline
giovanni giuseppe francesco alessandro matteo lorenzo chiara giulia francesca federica valentino marco luca paolo stefano
jan piotr pawel tomasz krzysztof andrzej agnieszka katarzyna malgorzata magdalena karolina natalia monika kamil mateusz bartek
ivan dmitri alexei mikhail maxim anastasia ekaterina tatiana irina marina yulia privet lubov parol gfhjkm ghbdtn zenit spartak dinamo lokomotiv
woaini woaini1314 5201314 woaini520 aini1314 nihao zhang wang liu chen yang huang zhao zhou asdf jkl qwer qwerasdf qwerasdfzxcv zxcvasdf zaqxswcde zaqxsw
sakura naruto1 hinata kakashi itachi onepiece luffy zoro bleach ichigo vegeta gohan dragonball dragonballz finalfantasy sephiroth cloud strife kingdomhearts
warcraft worldofwarcraft starcraft diablo counterstrike halflife callofduty battlefield assassin assassinscreed gta grandtheft halo masterchief gears zelda link
runescape maplestory leagueoflegends league dota overwatch valorant csgo apex genshin amongus steam twitch discord reddit tiktok snapchat whatsapp netflix spotify
hogwarts harrypotter hermione gryffindor slytherin voldemort gandalf frodo aragorn legolas lordoftherings hobbit middleearth narnia twilight vampire werewolf
zombie skeleton ghost monster creature dinosaur trex godzilla kingkong transformers optimus megatron bumblebee terminator predator alien rambo rocky gladiator
spartan trojan viking samurai1 shogun emperor empire dynasty republic democracy socialist anarchy revolution rebel outlaw gangster mafia godfather scarface
tupac biggie eminem1 snoopdogg fiftycent gunit lilwayne drake rihanna beyonce shakira britney madonna michaeljackson elvis acdc ledzeppelin pinkfloyd greenday
linkinpark ironmaiden megadeth pantera korn system deftones tool radiohead coldplay oasis queen1 kiss rammstein scooter tiesto techno trance electro rock punk
skater skateboard snowboard surfer longboard rollerblade gymnast cheerleader cheer ballet marathon triathlon karate judo taekwondo kungfu bruce brucelee jetli
ronaldo cristiano messi neymar beckham zidane rooney henry torres gerrard lampard ronaldinho kobe kobebryant lebron jordan23 michaeljordan shaq iverson tomlinson
dontknow dontforget remember forgetit forgotten nevermind idontknow donotenter notpassword mypassword mypass newpassword newpass oldpassword thepassword
yourpassword password0 passwordpassword secretpassword topsecret letmein2 openup opensesame sesame abracadabra hocuspocus access123 hello123 hellohello welcome2
pass1234 pass123 pass4word passpass p4ssword pa55word pa55w0rd passw0rd1 temppass temp1234 changeit changethis resetme firstlogin newuser superuser sysadmin
sysop webmaster postmaster backup database mysql postgres sqlserver apache tomcat1 jenkins gitlab github docker1 kubernetes raspberry raspberrypi ubuntu debian
linux unix solaris toor alpine admin1234 adminadmin rootroot testuser usertest guestguest`.split(/\s+/),
);
