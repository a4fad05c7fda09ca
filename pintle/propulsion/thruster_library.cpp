// Measured curves, as numbers. Nothing here is computed.
//
// T200: pulse width at 14, 16 and 18 V for efforts -1 to 1 in hundredths, the tables that the Duke
// Robotics vehicles drive their Blue Robotics T200 with. The forward side is cut so that forward 1
// is the same force as full reverse.
//
// M5: effort against newtons, two tables of SubjuGator 8's VideoRay M5 (41 points measured with its
// own propellers, 47 points of VideoRay), and the polynomial that replaced them in 2017 together
// with its thrust bounds.
#include <array>
#include <cmath>

#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {
namespace {

constexpr std::array<std::uint16_t, 201> kT200At14V{
    1104, 1110, 1113, 1116, 1119, 1121, 1123, 1127, 1129, 1132, 1135, 1138, 1141, 1144, 1147, 1149,
    1151, 1154, 1157, 1160, 1162, 1166, 1169, 1171, 1174, 1177, 1179, 1182, 1184, 1188, 1191, 1195,
    1197, 1201, 1205, 1207, 1209, 1211, 1216, 1218, 1221, 1223, 1227, 1231, 1233, 1235, 1239, 1241,
    1243, 1246, 1248, 1252, 1255, 1258, 1261, 1264, 1269, 1273, 1276, 1280, 1283, 1288, 1290, 1294,
    1297, 1300, 1303, 1308, 1311, 1316, 1319, 1324, 1327, 1332, 1336, 1340, 1344, 1348, 1351, 1356,
    1359, 1365, 1370, 1374, 1378, 1382, 1387, 1392, 1396, 1401, 1407, 1412, 1416, 1422, 1427, 1433,
    1440, 1446, 1454, 1462, 1494, 1521, 1540, 1547, 1553, 1558, 1564, 1569, 1573, 1577, 1581, 1586,
    1590, 1594, 1598, 1602, 1605, 1608, 1612, 1617, 1620, 1623, 1627, 1629, 1632, 1637, 1641, 1645,
    1648, 1652, 1655, 1658, 1661, 1664, 1666, 1670, 1673, 1676, 1680, 1683, 1686, 1689, 1692, 1695,
    1698, 1701, 1703, 1706, 1709, 1711, 1714, 1717, 1720, 1723, 1726, 1728, 1731, 1734, 1736, 1738,
    1740, 1744, 1748, 1749, 1751, 1755, 1757, 1759, 1761, 1762, 1764, 1766, 1768, 1771, 1773, 1774,
    1778, 1781, 1782, 1783, 1788, 1789, 1791, 1793, 1796, 1798, 1800, 1803, 1805, 1806, 1808, 1811,
    1814, 1816, 1818, 1819, 1823, 1825, 1828, 1830, 1832};

constexpr std::array<std::uint16_t, 201> kT200At16V{
    1152, 1154, 1156, 1158, 1159, 1162, 1164, 1167, 1169, 1170, 1172, 1174, 1176, 1178, 1181, 1184,
    1185, 1187, 1190, 1193, 1196, 1198, 1201, 1204, 1205, 1207, 1211, 1214, 1217, 1219, 1221, 1223,
    1227, 1229, 1231, 1235, 1238, 1241, 1242, 1244, 1248, 1250, 1253, 1256, 1260, 1261, 1263, 1265,
    1268, 1271, 1273, 1276, 1280, 1282, 1285, 1287, 1290, 1295, 1298, 1301, 1304, 1307, 1310, 1313,
    1316, 1318, 1321, 1325, 1329, 1333, 1336, 1340, 1344, 1347, 1351, 1355, 1358, 1361, 1364, 1368,
    1373, 1377, 1382, 1386, 1389, 1393, 1397, 1401, 1406, 1411, 1415, 1419, 1424, 1428, 1434, 1439,
    1443, 1449, 1457, 1464, 1488, 1515, 1536, 1541, 1546, 1552, 1557, 1560, 1564, 1568, 1572, 1576,
    1579, 1583, 1587, 1591, 1593, 1596, 1600, 1603, 1607, 1610, 1613, 1615, 1618, 1621, 1624, 1628,
    1631, 1635, 1638, 1641, 1643, 1645, 1649, 1652, 1654, 1657, 1660, 1663, 1665, 1668, 1671, 1674,
    1677, 1679, 1682, 1684, 1686, 1689, 1692, 1694, 1696, 1699, 1701, 1703, 1706, 1708, 1711, 1713,
    1715, 1717, 1719, 1721, 1724, 1727, 1730, 1732, 1733, 1735, 1736, 1739, 1741, 1742, 1744, 1746,
    1748, 1750, 1752, 1754, 1756, 1760, 1762, 1763, 1766, 1768, 1770, 1771, 1773, 1775, 1777, 1780,
    1782, 1784, 1787, 1789, 1791, 1792, 1794, 1797, 1800};

constexpr std::array<std::uint16_t, 201> kT200At18V{
    1176, 1178, 1180, 1181, 1183, 1185, 1186, 1188, 1189, 1191, 1192, 1195, 1197, 1199, 1201, 1202,
    1205, 1208, 1210, 1212, 1214, 1216, 1219, 1221, 1223, 1226, 1228, 1231, 1233, 1235, 1238, 1240,
    1244, 1246, 1247, 1251, 1254, 1257, 1259, 1261, 1263, 1267, 1269, 1271, 1274, 1276, 1278, 1280,
    1283, 1286, 1289, 1291, 1294, 1297, 1299, 1303, 1306, 1308, 1311, 1314, 1317, 1320, 1322, 1325,
    1328, 1330, 1334, 1337, 1339, 1344, 1347, 1351, 1354, 1358, 1362, 1365, 1368, 1371, 1376, 1379,
    1384, 1388, 1392, 1395, 1399, 1403, 1407, 1412, 1416, 1421, 1425, 1429, 1433, 1438, 1443, 1447,
    1453, 1459, 1468, 1490, 1512, 1532, 1539, 1544, 1549, 1553, 1557, 1561, 1564, 1568, 1572, 1576,
    1580, 1583, 1587, 1590, 1594, 1597, 1600, 1604, 1608, 1610, 1613, 1617, 1620, 1624, 1627, 1630,
    1633, 1635, 1638, 1640, 1643, 1646, 1648, 1652, 1654, 1657, 1660, 1662, 1665, 1668, 1670, 1672,
    1675, 1677, 1680, 1681, 1683, 1685, 1688, 1690, 1693, 1696, 1697, 1699, 1702, 1704, 1706, 1708,
    1712, 1713, 1715, 1717, 1720, 1722, 1724, 1726, 1727, 1729, 1731, 1733, 1735, 1737, 1738, 1740,
    1743, 1745, 1746, 1747, 1750, 1752, 1754, 1756, 1758, 1760, 1762, 1764, 1765, 1767, 1769, 1772,
    1774, 1776, 1778, 1780, 1781, 1782, 1784, 1786, 1788};

constexpr std::array<double, 41> kM5MeasuredNewtons{
    -85.16798603621542,  -83.11245965680112,  -80.72780555898515,
    -77.26080420472348,  -74.24265026914527,  -67.98354200661714,
    -64.73528274880252,  -58.839594796790784, -54.214964815228186,
    -49.31660284098751,  -43.84480379387167,  -39.157067326228415,
    -33.524153970597816, -27.99452422080355,  -21.62868280175304,
    -16.710638097126996, -11.252028508516814, -6.915131637123009,
    -3.325975605624676,  -0.6694157478467332, 0.0,
    1.2820153667461807,  4.5426524240814805,  8.881375528191455,
    13.348137837179078,  18.081935952218934,  23.798044353808,
    28.566743805201153,  34.71221980983474,   41.44351068686406,
    45.79359701676346,   53.66790665936434,   58.868611605503126,
    64.13079971975266,   70.43881043612473,   75.2278013621419,
    79.71972509966326,   83.98438432139565,   87.39923658587354,
    92.2549864634037,    93.17094362793253};

constexpr std::array<double, 41> kM5MeasuredCommand{
    -1.0, -0.95, -0.9, -0.85, -0.8, -0.75, -0.7, -0.65, -0.6, -0.55, -0.5, -0.45, -0.4, -0.35,
    -0.3, -0.25, -0.2, -0.15, -0.1, -0.05, 0.0,  0.05,  0.1,  0.15,  0.2,  0.25,  0.3,  0.35,
    0.4,  0.45,  0.5,  0.55,  0.6,  0.65,  0.7,  0.75,  0.8,  0.85,  0.9,  0.95,  1.0};

constexpr std::array<double, 47> kM5VideoRayNewtons{
    -64.63, -63.53, -62.05, -60.28, -58.31, -56.22, -54.08, -51.93, -49.8,  -47.72, -45.68, -43.68,
    -41.7,  -39.7,  -37.63, -35.41, -32.97, -30.22, -27.05, -23.32, -18.92, -13.67, -7.43,  0.0,
    14.8,   23.8,   32.3,   38.8,   44.8,   50.2,   56.5,   59.9,   65.1,   69.4,   73.2,   76.1,
    79.8,   84.1,   86.1,   88.7,   92.4,   95.0,   97.2,   99.2,   101.2,  103.4,  106.2};

constexpr std::array<double, 47> kM5VideoRayCommand{
    -1.0,   -0.957, -0.913, -0.87,  -0.826, -0.783, -0.739, -0.696, -0.652, -0.609, -0.565, -0.522,
    -0.478, -0.435, -0.391, -0.348, -0.304, -0.261, -0.217, -0.174, -0.13,  -0.087, -0.043, 0.0,
    0.044,  0.088,  0.13,   0.175,  0.223,  0.26,   0.307,  0.34,   0.391,  0.444,  0.482,  0.518,
    0.574,  0.626,  0.656,  0.702,  0.744,  0.789,  0.84,   0.868,  0.919,  0.968,  1.0};

constexpr std::array<double, 4> kM5Forward{-4.39726643e-08, 6.64253872e-06, -1.83044015e-04,
                                           1.08770391e-02};
constexpr std::array<double, 4> kM5Backward{-1.19622867e-09, 1.87249267e-07, -2.70065900e-05,
                                            3.41743092e-03};

CurvePoints t200_at(double bus_V, const std::array<std::uint16_t, 201>& pulse_us) {
  CurvePoints points;
  points.bus_V = bus_V;
  for (int i = 0; i < 201; ++i) {
    points.effort.push_back((i - 100) / 100.0);
    points.command.push_back(pulse_us[static_cast<std::size_t>(i)]);
  }
  return points;
}

ThrusterParams t200() {
  ThrusterParams p;
  p.curve = CurveKind::kPulseWidth;
  p.points = {t200_at(14, kT200At14V), t200_at(16, kT200At16V), t200_at(18, kT200At18V)};
  p.nearest_point = true;
  p.rest_command = 1500;
  p.command_quantum = 1;
  return p;
}

ThrusterParams m5_polynomial() {
  ThrusterParams p;
  p.min_effort = -100;
  p.max_effort = 65;
  p.curve = CurveKind::kPolynomial;
  p.forward.assign(kM5Forward.begin(), kM5Forward.end());
  p.backward.assign(kM5Backward.begin(), kM5Backward.end());
  return p;
}

template <std::size_t N>
ThrusterParams m5_table(const std::array<double, N>& newtons, const std::array<double, N>& command,
                        double margin) {
  ThrusterParams p;
  p.min_effort = newtons.front();
  p.max_effort = newtons.back();
  p.curve = CurveKind::kTable;
  p.points = {CurvePoints{
      .bus_V = 0,
      .effort = {newtons.begin(), newtons.end()},
      .command = {command.begin(), command.end()},
  }};
  p.command_margin = margin;
  return p;
}

struct LibraryCurve {
  std::string_view name;
  ThrusterParams params;
};

const std::array<LibraryCurve, 4>& curves() {
  static const std::array<LibraryCurve, 4> curves{{
      {"t200", t200()},
      {"m5_polynomial", m5_polynomial()},
      {"m5_table_2016", m5_table(kM5MeasuredNewtons, kM5MeasuredCommand, 0.8)},
      {"m5_table_video_ray", m5_table(kM5VideoRayNewtons, kM5VideoRayCommand, 1)},
  }};
  return curves;
}

}  // namespace

const ThrusterParams* library_curve(std::string_view name) noexcept {
  for (const LibraryCurve& curve : curves())
    if (curve.name == name) return &curve.params;
  return nullptr;
}

std::vector<std::string_view> library_names() {
  std::vector<std::string_view> names;
  for (const LibraryCurve& curve : curves()) names.push_back(curve.name);
  return names;
}

std::uint16_t t200_pulse_us(double effort, double bus_V) noexcept {
  if (std::isnan(effort)) return 1500;
  const double clipped = effort < -1 ? -1 : effort > 1 ? 1 : effort;
  const double volts = bus_V >= 14 ? (bus_V <= 18 ? bus_V : 18) : 14;
  const auto i = static_cast<std::size_t>(std::lround(clipped * 100 + 100));
  const bool low_pair = volts <= 16;
  const double from = low_pair ? kT200At14V[i] : kT200At16V[i];
  const double to = low_pair ? kT200At16V[i] : kT200At18V[i];
  return static_cast<std::uint16_t>(from + (to - from) * ((volts - (low_pair ? 14 : 16)) / 2));
}

}  // namespace pintle::propulsion
