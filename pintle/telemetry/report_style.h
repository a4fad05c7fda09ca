/// The look of report.html: colours, type, print; and the cursor that follows the pointer.
///
/// Blue is what was, orange what was wanted or what is wrong (Okabe and Ito's palette, told apart
/// by all common kinds of colour vision); width, hatching and marks repeat what colour says.
#pragma once
#include <string_view>

namespace pintle::telemetry {

inline constexpr std::string_view kReportStyle = R"css(
:root{--bg:#fff;--ink:#1a1d21;--dim:#5b636d;--line:#dfe3e8;--soft:#f4f6f8;--blue:#0072b2;
--orange:#d95f02;--purple:#aa4499;--free:#e9ecf0;--green:#009e73;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--ink:#e6e8ea;--dim:#9aa3ad;--line:#2c3238;
--soft:#1d2226;--blue:#56b4e9;--orange:#f59a23;--purple:#d58ac6;--free:#262c32;--green:#2bc99a}}
@media print{:root{--bg:#fff;--ink:#000;--dim:#444;--line:#ccc;--soft:#f4f4f4;--blue:#0072b2;
--orange:#d95f02;--purple:#aa4499;--free:#e9ecf0}section,table,svg{break-inside:avoid}
#cursor{display:none}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1180px;margin:0 auto;padding:24px 20px 64px}
h1{font-size:24px;margin:0 0 2px}h2{font-size:18px;margin:40px 0 6px}
.verdict{display:flex;gap:18px;align-items:center;padding:16px 20px;border:1px solid var(--line);
border-left:8px solid var(--orange);border-radius:6px;background:var(--soft)}
.verdict.pass{border-left-color:var(--blue)}
.verdict .sign{font-size:34px;line-height:1;color:var(--orange)}
.verdict.pass .sign{color:var(--blue)}
.verdict p{margin:0;color:var(--dim)}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(250px,1fr));margin:16px 0 0;padding:0 1px 1px 0}
.facts div{border:1px solid var(--line);margin:0 -1px -1px 0;padding:7px 12px}
.facts .long{grid-column:1/-1}
dt{color:var(--dim);font-size:12px}dd{margin:0;overflow-wrap:anywhere}
.legend,.note{margin:0 0 8px;color:var(--dim);font-size:13px}
.key{display:inline-flex;align-items:center;vertical-align:middle;gap:6px;margin-right:18px;white-space:nowrap}
.key i{display:inline-block;width:22px;height:0}
.key i.want{border-top:4px solid var(--orange);opacity:.75}.key i.is{border-top:2px solid var(--blue)}
.key i.free,.key i.residual,.key i[class^=band]{height:12px;border-radius:2px}
.key i.free{background:var(--free)}.key i.residual{background:var(--purple);opacity:.45}
.key i.band-good{background:var(--blue)}.key i.band-bad{background:var(--orange)}
.key i.band-fault{background:repeating-linear-gradient(45deg,var(--orange) 0 2px,transparent 2px 6px)}
.key i.limit{border-top:1.5px dashed var(--ink)}
.key i.state-line{width:0;height:13px;border-left:1px solid var(--dim);margin:0 4px}
.key i.fault-line{width:0;height:13px;border-left:2px dotted var(--orange);margin:0 4px}
.key i.start{width:11px;height:11px;border:2px solid var(--blue);border-radius:50%}
.key i.end{width:10px;height:10px;background:var(--blue)}
.key i.arrow{width:0;border:5px solid transparent;border-left:9px solid var(--blue);margin-right:-5px}
.key i.carried{height:8px;border-radius:4px;background:var(--green);opacity:.35}
.key i.dropped{width:auto;height:auto;color:var(--green);font-style:normal;font-weight:700}
.key i.dropped:before{content:"\00d7"}
.key i.state{height:12px;background:var(--free)}
.mark{color:var(--orange)}
.grid.two{display:grid;grid-template-columns:1fr 1fr;gap:10px 20px}
.grid.two>*{min-width:0}
@media (max-width:760px){.grid.two{grid-template-columns:1fr}}
svg{display:block;width:100%;height:auto;overflow:visible;font-size:11px}
svg text{fill:var(--ink)}svg .tick{fill:var(--dim);font-size:10.5px}
svg .name{font-size:12.5px;font-weight:600}
svg .row-name{font-size:12px}svg .row-text{fill:var(--dim)}svg .strong{fill:var(--orange);font-weight:600}
svg .row-inside{paint-order:stroke;stroke:var(--bg);stroke-width:3px}
svg path{fill:none}
svg .grid{stroke:var(--line);stroke-width:1}svg .axis{stroke:var(--dim);stroke-width:1}
svg .zero{stroke:var(--dim);stroke-width:.8}
svg .want{stroke:var(--orange);stroke-width:3.2;opacity:.75;stroke-linejoin:round;stroke-linecap:round}
svg .is{stroke:var(--blue);stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round}
svg .residual{fill:var(--purple);fill-opacity:.45;stroke:var(--purple);stroke-width:.6}
svg .free{fill:var(--free)}
svg .state-line{stroke:var(--dim);stroke-width:.6;opacity:.55}
svg .fault-line{stroke:var(--orange);stroke-width:1.6;stroke-dasharray:2 3}
svg .limit{stroke:var(--ink);stroke-width:1;stroke-dasharray:5 4;opacity:.7}
svg .thing{fill-opacity:.3;stroke:var(--dim);stroke-width:1}svg .thing.plain{fill:var(--dim);fill-opacity:.12}
svg .thing-name{font-size:12px;font-weight:600;paint-order:stroke;stroke:var(--bg);stroke-width:3px}
svg .carried{stroke:var(--green);stroke-width:9;opacity:.35;stroke-linejoin:round;stroke-linecap:round}
svg .thing-line{stroke:var(--green);stroke-width:1.6;stroke-dasharray:5 3}
svg .dropped{stroke:var(--green);stroke-width:3}
svg .state{fill:var(--free);opacity:.8}svg .state-bad{fill:var(--orange);opacity:.18}
svg .arrow{fill:var(--blue)}svg .start{fill:var(--bg);stroke:var(--blue);stroke-width:2.5}
svg .end{fill:var(--blue);stroke:var(--bg);stroke-width:1.5}
svg .band-good{fill:var(--blue)}svg .band-bad{fill:var(--orange)}
svg .band-fault{fill:url(#hatch);stroke:var(--orange);stroke-width:1}
.strip svg .band-fault{fill-opacity:.4;stroke-opacity:.6}
svg .event{stroke:var(--dim);stroke-width:1.2}svg .event-bad{fill:var(--orange)}
svg .cursor{stroke:var(--ink);stroke-width:1;opacity:.6}
.strip svg+svg{margin-top:2px}
table{border-collapse:collapse;margin:14px 0 0;font-size:14px}
table.wide{width:100%}
th{font-weight:600;text-align:left;color:var(--dim);font-size:12.5px;vertical-align:bottom}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--line)}
th.n,td.n{text-align:right}td.n+td:not(.n),th.n+th:not(.n){padding-left:16px}
tr.bad td{color:var(--orange);font-weight:600}
table+.note{margin-top:8px}
#events th:first-child,#events td:first-child{width:86px}#events th:nth-child(2),#events td:nth-child(2){width:240px}
details{margin-top:10px}summary{cursor:pointer;color:var(--dim)}
footer{margin-top:48px;color:var(--dim);font-size:12.5px}
nav{display:flex;flex-wrap:wrap;gap:4px 16px;margin:14px 0 0;font-size:14px}
a{color:var(--blue)}
.looked{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:10px 20px}.looked.one{grid-template-columns:minmax(0,1fr)}
.looked>div{min-width:0}
@media screen{.picture{display:none!important}}@media print{.looked,.reset{display:none}}
.reset{font:inherit;font-size:13px;margin:0 0 8px;padding:3px 10px;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:4px;cursor:pointer}
.u-title{font-size:13px!important;font-weight:600!important;text-align:left!important}.u-legend{font-size:12.5px;text-align:left!important}
.scroll{overflow-x:auto}
@media (max-width:760px){main{padding:12px 12px 48px}.verdict{padding:12px}.looked{grid-template-columns:minmax(0,1fr)}
.strip{overflow-x:auto}.strip svg,#timeline svg{min-width:720px}.grid.two{grid-template-columns:minmax(0,1fr)}section{overflow-x:auto}}
#cursor{position:fixed;right:16px;bottom:16px;padding:4px 10px;border-radius:4px;
background:var(--ink);color:var(--bg);font-size:13px;visibility:hidden}
)css";

// one line of time through all plots under the pointer; the page says everything without it
inline constexpr std::string_view kReportScript = R"js(
(function(){
var plots=[].slice.call(document.querySelectorAll('svg[data-t0]')).map(function(s){
var l=s.querySelector('path').cloneNode(false),b=s.viewBox.baseVal;
l.setAttribute('class','cursor');l.style.visibility='hidden';s.appendChild(l);
return{s:s,l:l,w:b.width,h:b.height,t0:+s.dataset.t0,t1:+s.dataset.t1,x0:+s.dataset.x0,x1:+s.dataset.x1};});
var out=document.getElementById('cursor');
function show(v){plots.forEach(function(q){q.l.style.visibility=v;});out.style.visibility=v;}
plots.forEach(function(p){
p.s.addEventListener('mousemove',function(e){
var r=p.s.getBoundingClientRect(),x=(e.clientX-r.left)*p.w/r.width;
var f=Math.min(1,Math.max(0,(x-p.x0)/(p.x1-p.x0))),t=p.t0+f*(p.t1-p.t0);
plots.forEach(function(q){var a=q.x0+(t-q.t0)/(q.t1-q.t0)*(q.x1-q.x0);
q.l.setAttribute('d','M'+a+' 0V'+q.h);});
out.textContent='t = '+t.toFixed(2)+' s';show('visible');});
p.s.addEventListener('mouseleave',function(){show('hidden');});});
})();
)js";

}  // namespace pintle::telemetry
