/** Style sheet of all pages: system fonts, an 8 px grid, light and dark from the same tokens. */
export const pageStyle = `
:root{color-scheme:light dark;--ink:#16181d;--soft:#5b6270;--line:#e4e7ec;--page:#fff;--panel:#f6f7f9;--accent:#0b6b5d;--post:#7a4b00;--get:#0b5cad;--word:#6d3bb8}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaee;--soft:#9aa3b2;--line:#2a2f38;--page:#0f1115;--panel:#171a20;--accent:#4fd1bd;--post:#f0b45a;--get:#7ab8ff;--word:#c4a7ff}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--page)}
a{color:var(--accent);text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}
code,pre{font:14px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--panel);border-radius:8px;padding:16px;overflow-x:auto;margin:8px 0 24px}
h1{font-size:28px;line-height:1.2;margin:0 0 8px}h2{font-size:20px;margin:64px 0 8px}h3{font-size:14px;color:var(--soft);font-weight:600;margin:24px 0 8px}
.lead{font-size:20px;color:var(--soft);max-width:44em;margin:0 0 32px}
.plain{max-width:52em;margin:0 auto;padding:64px 24px}
.links{display:flex;flex-wrap:wrap;gap:8px 32px;padding:0;list-style:none;margin:0 0 32px}
.reference{display:grid;grid-template-columns:240px minmax(0,1fr);max-width:1200px;margin:0 auto}
nav{position:sticky;top:0;align-self:start;height:100vh;overflow-y:auto;padding:40px 16px 40px 24px}
nav ul{list-style:none;padding:0;margin:0 0 24px}nav li{margin:4px 0}nav ul ul{margin:4px 0 8px;padding-left:16px;border-left:1px solid var(--line);font-size:14px}nav strong{font-size:14px;color:var(--soft);font-weight:600}
main{padding:40px 24px 120px;min-width:0}
.method{font:600 14px ui-monospace,Menlo,Consolas,monospace;text-transform:uppercase;margin-right:8px}.post{color:var(--post)}.get{color:var(--get)}
table{border-collapse:collapse;width:100%;margin:0 0 16px}td{border-top:1px solid var(--line);padding:8px 16px 8px 0;vertical-align:top;overflow-wrap:anywhere}
td:first-child{width:240px}.type{color:var(--soft);font-size:14px}.need{color:var(--post);font-size:14px}
nav li a,footer a{color:var(--soft)}nav li a:hover{color:var(--ink)}nav [aria-current]{font-weight:600;color:var(--ink)}
.guide{max-width:60em}.guide h2{margin-top:48px}.guide h3{font-size:16px;color:var(--ink);margin-top:32px}.guide p,.guide li{max-width:52em;overflow-wrap:anywhere}.guide li{margin:4px 0}.guide p a,.guide li a,.guide td a{text-decoration:underline;text-underline-offset:2px}
.guide :not(pre)>code{background:var(--panel);border-radius:4px;padding:1px 4px}
.guide footer{display:flex;flex-wrap:wrap;justify-content:space-between;gap:8px 32px;margin-top:64px}
.wide{overflow-x:auto;margin:0 0 24px}.wide table{margin:0}.wide th{text-align:left;padding:8px 16px 8px 0;font-size:14px;color:var(--soft)}.wide td,.wide td:first-child{width:auto;min-width:96px;overflow-wrap:normal}.wide td:first-child code{white-space:nowrap}.prose td code{overflow-wrap:break-word}
.hljs-comment,.hljs-meta{color:var(--soft)}.hljs-string,.hljs-regexp{color:var(--accent)}.hljs-keyword,.hljs-literal{color:var(--word)}.hljs-number,.hljs-variable{color:var(--post)}.hljs-attr,.hljs-attribute,.hljs-property,.hljs-title{color:var(--get)}.hljs-subst{color:var(--ink)}
.bar{display:none}
@media(max-width:760px){.bar{display:flex;justify-content:space-between;padding:12px 24px;border-bottom:1px solid var(--line)}
.wide:not(.prose) td,.wide:not(.prose) td:first-child{display:table-cell;border-top:1px solid var(--line);padding:8px 16px 8px 0}
.prose table,.prose tbody,.prose tr{display:block}.prose thead{display:none}.prose td:first-child{font-weight:600}.prose td:empty{display:none}.prose td[data-label]:before{content:attr(data-label)": ";color:var(--soft);font-size:14px}.prose td[data-label]{display:inline-block;margin-right:16px}.prose tr{padding-bottom:8px}
.reference{display:block}.reference:has(.guide){display:flex;flex-direction:column-reverse}nav{position:static;height:auto;padding:24px 24px 0}nav ul{margin-bottom:8px}td{display:block;padding:4px 0;border:0;width:auto}td:first-child{border-top:1px solid var(--line);padding-top:12px;width:auto}main{padding-top:16px}}
`;
